#include "runner/run/message.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/run/tasks.hpp"
#include "support/catch.hpp"

using namespace sthd::run;

TEST_CASE("A request survives the way to the keeper", "[run][message]") {
  const Request request{.ask = Ask::job,
                        .number = 1ULL << 63,
                        .path = "/mnt/a b\n\x1b",
                        .job = 7,
                        .backend = "native-aio",
                        .engine = "libaio",
                        .named = true,
                        .direct = true,
                        .direct_effective = false,
                        .queue_depth = 32,
                        .workers = 16,
                        .first_loop = 2,
                        .loops = 3,
                        .size = 1ULL << 40,
                        .disks = {"nvme0n1", "cciss!c0d0"}};
  const auto back = unpack_request(pack(request));
  REQUIRE(back.has_value());
  CHECK(pack(*back) == pack(request));
  CHECK(back->number == request.number);
  CHECK(back->path == request.path);
  CHECK(back->direct_effective == false);
  CHECK(back->first_loop == 2);
  CHECK(back->loops == 3);
  CHECK(back->disks == request.disks);
  CHECK(unpack_request(pack(Request{}))->direct_effective == std::nullopt);
}

TEST_CASE("A damaged message is no request", "[run][message]") {
  const std::string good = pack(Request{.ask = Ask::probe, .engine = "psync"});
  CHECK_FALSE(unpack_request(good.substr(0, good.size() - 1)).has_value());
  CHECK_FALSE(unpack_request(good + "x").has_value());
  std::string short_of_disks = good;
  short_of_disks[short_of_disks.size() - 2] = '3';
  CHECK_FALSE(unpack_request(short_of_disks).has_value());
  CHECK_FALSE(unpack_request("").has_value());
  CHECK_FALSE(unpack_request("99" + good.substr(1)).has_value());
  CHECK_FALSE(unpack_end("").has_value());
}

TEST_CASE("A child's end says of which request it was", "[run][message]") {
  const auto back = unpack_end(pack(ChildEnd{5, false, 9, true}));
  REQUIRE(back.has_value());
  CHECK(back->number == 5);
  CHECK_FALSE(back->exited);
  CHECK(back->status == 9);
  CHECK(back->stuck);
}

TEST_CASE("A descriptor travels with its message and is closed on exec", "[run][message]") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const int sent = ::open("/dev/null", O_RDONLY);
  REQUIRE(send_message(ends[0], "hello", sent));
  const auto received = receive_message(ends[1]);
  REQUIRE(received.has_value());
  CHECK(received->text == "hello");
  REQUIRE(received->fd >= 0);
  CHECK((::fcntl(received->fd, F_GETFD) & FD_CLOEXEC) != 0);
  ::close(ends[0]);
  CHECK_FALSE(receive_message(ends[1]).has_value());
  for (const int fd : {ends[1], sent, received->fd}) ::close(fd);
}

TEST_CASE("Only our own names are taken for test files", "[run][tasks]") {
  CHECK(is_test_file_name("speedtest-hd-0123abcd.bench"));
  for (const char* name :
       {"speedtest-hd.bench", "speedtest-hd-0123ABCD.bench", "speedtest-hd-0123abc.bench",
        "speedtest-hd-0123abcde.bench", "speedtest-hd-0123abcg.bench", "x"}) {
    CHECK_FALSE(is_test_file_name(name));
  }
}
