#include "runner/plan/turns.hpp"

#include <fmt/format.h>

#include "runner/plan/cost.hpp"
#include "runner/plan/cross_check.hpp"
#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::plan;

namespace {

using strings = std::vector<std::string>;

Job job(const std::string& id, std::uint32_t loops = 1, std::uint32_t repeat = 1) {
  Job result{.id = id, .template_id = id.substr(0, id.find('/')), .label = id};
  result.workload.loops = loops;
  result.workload.repeat = repeat;
  return result;
}

/// "0#2:1+2": loops 1 and 2 of the third repeat of job 0; without "#" where it is the first.
strings order(const std::vector<Job>& jobs, const std::vector<bool>& runs) {
  strings result;
  for (const Turn& turn : turns(jobs, runs)) {
    std::string text = fmt::format("{}", turn.job);
    if (turn.repeat > 0) text += fmt::format("#{}", turn.repeat);
    text += fmt::format(":{}", turn.first_loop);
    for (std::uint32_t i = 1; i < turn.loops; ++i) text += fmt::format("+{}", turn.first_loop + i);
    result.push_back(text);
  }
  return result;
}

strings order(const std::vector<Job>& jobs) {
  return order(jobs, std::vector<bool>(jobs.size(), true));
}

Job grouped(Job job) {
  job.workload.order = Order::grouped;
  return job;
}

Job after_pause(Job job) {
  job.workload.interval_ns = 5 * kSecond;
  return job;
}

/// "0 -1 -0": the job of each turn, "-" where a pause of 5 s comes before it.
std::string pauses(const std::vector<Job>& jobs, std::vector<bool> runs = {}) {
  if (runs.empty()) runs.assign(jobs.size(), true);
  std::string text;
  for (const Turn& turn : turns(jobs, runs)) {
    if (!text.empty()) text += ' ';
    if (turn.pause_ns > 0) text += '-';
    text += fmt::format("{}", turn.job);
    CHECK((turn.pause_ns == 0 || turn.pause_ns == 5 * kSecond));
  }
  return text;
}

}  // namespace

TEST_CASE("A job and its twin take turns, loop by loop", "[plan][turns][cross-check]") {
  const Job a = job("a", 3);
  const Job alone = job("b", 2);
  const std::vector<Job> jobs{a, twins_of({a})[0], alone};
  CHECK(order(jobs) == strings{"0:0", "1:0", "0:1", "1:1", "0:2", "1:2", "2:0+1"});
}

TEST_CASE("Without a partner a job runs in one go", "[plan][turns][cross-check]") {
  const Job a = job("a", 2);
  const std::vector<Job> jobs{a, twins_of({a})[0]};
  CHECK(order(jobs, {true, false}) == strings{"0:0+1", "1:0+1"});
  CHECK(order(jobs, {false, true}) == strings{"0:0+1", "1:0+1"});
  CHECK(order({a}) == strings{"0:0+1"});
  CHECK(order({}).empty());
}

TEST_CASE("Rows that differ in their condition alone are measured A-B-A-B", "[plan][turns]") {
  const std::vector<Job> jobs{
      job("s/condition=as-is,threads=1", 2, 2), job("s/condition=as-is,threads=4", 2, 2),
      job("s/condition=cores-busy,threads=1", 2, 2), job("s/condition=cores-busy,threads=4", 2, 2)};
  CHECK(order(jobs) == strings{"0:0+1", "2:0+1", "0#1:0+1", "2#1:0+1",  //
                               "1:0+1", "3:0+1", "1#1:0+1", "3#1:0+1"});
}

TEST_CASE("Where the condition stands in an id does not matter", "[plan][turns]") {
  const auto interleaved = strings{"0:0", "1:0", "0#1:0", "1#1:0"};
  CHECK(order({job("a/condition=as-is", 1, 2), job("a/condition=cores-busy", 1, 2)}) ==
        interleaved);
  CHECK(order({job("a/condition=as-is,op=read", 1, 2),
               job("a/condition=cores-busy,op=read", 1, 2)}) == interleaved);
  CHECK(order({job("a/block_size=512,condition=as-is", 1, 2),
               job("a/block_size=512,condition=cores-busy", 1, 2)}) == interleaved);
}

TEST_CASE("Other rows of a template go round together, each repeat with all its loops",
          "[plan][turns]") {
  const std::vector<Job> jobs{job("a/threads=1", 2, 2), job("b"), job("a/threads=4", 1, 3),
                              job("c", 1, 2)};
  CHECK(order(jobs) == strings{"0:0+1", "2:0", "0#1:0+1", "2#1:0", "2#2:0", "1:0", "3:0", "3#1:0"});
}

TEST_CASE("Rows without repeats stay where they are", "[plan][turns]") {
  CHECK(order({job("a/condition=as-is", 2), job("a/condition=cores-busy", 2),
               job("a/threads=2")}) == strings{"0:0+1", "1:0+1", "2:0"});
}

TEST_CASE("A row that does not run has one turn and is nobody's partner", "[plan][turns]") {
  const std::vector<Job> jobs{job("a/condition=as-is,op=read", 1, 2),
                              job("a/condition=as-is,op=write", 1, 2),
                              job("a/condition=cores-busy,op=read", 1, 2)};
  CHECK(order(jobs, {true, true, false}) == strings{"0:0", "1:0", "0#1:0", "1#1:0", "2:0"});
}

TEST_CASE("In each repeat a job and its twin take turns, and so do the conditions",
          "[plan][turns][cross-check]") {
  const Job a = job("a/condition=as-is", 2, 2);
  const Job b = job("a/condition=cores-busy", 1, 2);
  const auto twins = twins_of({a, b});
  CHECK(order({a, twins[0], b, twins[1]}) == strings{"0:0", "1:0", "0:1", "1:1", "2:0", "3:0",  //
                                                     "0#1:0", "1#1:0", "0#1:1", "1#1:1", "2#1:0",
                                                     "3#1:0"});
}

TEST_CASE("Grouped rows are measured to their end before the next row", "[plan][turns]") {
  const std::vector<Job> jobs{grouped(job("a/threads=1", 2, 3)), grouped(job("a/threads=4", 1, 2)),
                              job("b", 1, 2)};
  CHECK(order(jobs) == strings{"0:0+1", "0#1:0+1", "0#2:0+1", "1:0", "1#1:0", "2:0", "2#1:0"});
}

TEST_CASE("Grouped conditions are measured all of A, then all of B", "[plan][turns]") {
  CHECK(order({grouped(job("s/condition=as-is", 1, 2)),
               grouped(job("s/condition=cores-busy", 1, 2))}) ==
        strings{"0:0", "0#1:0", "1:0", "1#1:0"});
}

TEST_CASE("A grouped row between rows that go round goes with none of them", "[plan][turns]") {
  const std::vector<Job> jobs{job("a/threads=1", 1, 2), grouped(job("a/threads=2", 1, 2)),
                              job("a/threads=4", 1, 2)};
  CHECK(order(jobs) == strings{"0:0", "2:0", "0#1:0", "2#1:0", "1:0", "1#1:0"});
}

TEST_CASE("A grouped job and its twin take turns in each repeat", "[plan][turns][cross-check]") {
  const Job a = grouped(job("a", 1, 2));
  CHECK(order({a, twins_of({a})[0], grouped(job("b"))}) ==
        strings{"0:0", "1:0", "0#1:0", "1#1:0", "2:0"});
}

TEST_CASE("A pause comes before every turn but the first", "[plan][turns][interval]") {
  const Job a = after_pause(job("a/threads=1", 1, 2));
  const Job b = after_pause(job("a/threads=4", 1, 2));
  CHECK(pauses({a, b}) == "0 -1 -0 -1");
  CHECK(pauses({a, job("b"), b}) == "0 -2 -0 -2 1");
  CHECK(pauses({job("b"), a}) == "0 -1 -1");
  CHECK(pauses({job("b"), job("c", 2, 3)}) == "0 1 1 1");
}

TEST_CASE("Repeats of a grouped row follow each other without a pause", "[plan][turns][interval]") {
  const Job a = grouped(after_pause(job("a", 1, 3)));
  const Job b = grouped(after_pause(job("b", 1, 2)));
  CHECK(pauses({a, b}) == "0 0 0 -1 1");
}

TEST_CASE("What does not run is not waited for", "[plan][turns][interval]") {
  const std::vector<Job> jobs{after_pause(job("a")), after_pause(job("b")), after_pause(job("c"))};
  CHECK(pauses(jobs, {false, true, true}) == "0 1 -2");
  CHECK(pauses(jobs, {true, false, true}) == "0 1 -2");
  CHECK(pauses(jobs, {false, false, false}) == "0 1 2");
}

TEST_CASE("A plan costs its pauses", "[plan][turns][cost][interval]") {
  Job a = after_pause(job("a/threads=1", 1, 3));
  a.workload.runtime_ns = 2 * kSecond;
  Job b = a;
  b.id = "a/threads=4";
  CHECK(cost({a}).estimated_seconds == 6.0 + 2 * 5.0);
  CHECK(cost({a, b}).estimated_seconds == 12.0 + 5 * 5.0);
  CHECK(cost({grouped(a), grouped(b)}).estimated_seconds == 12.0 + 5.0);
}

TEST_CASE("A plan costs every repeat, and the layouts that its order makes",
          "[plan][turns][cost]") {
  Job full = job("a/layout=full", 2, 3);
  full.workload.runtime_ns = 4 * kSecond;
  full.workload.ramp_ns = kSecond;
  full.workload.size = 64 * kMiB;
  CHECK(cost({full}).estimated_seconds == 30.0);
  Job fresh = job("a/layout=none", 1, 3);
  fresh.workload.op = Op::write;
  fresh.workload.layout = Layout::none;
  fresh.workload.block_size = kMiB;
  fresh.workload.ios = 5;
  fresh.workload.size = 64 * kMiB;
  CHECK(cost({fresh}).written_bytes == 15 * kMiB);
  CHECK(layouts({full, fresh}) == 3);
  fresh.template_id = "b";
  CHECK(layouts({full, fresh}) == 1);
}
