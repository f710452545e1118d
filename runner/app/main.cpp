#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "runner/app/commands.hpp"
#include "sthd/text.hpp"

namespace {

/// A closed stdin, stdout or stderr must not become the number of a file that is opened later. What
/// is written to a closed stdout is lost, and says so: /dev/full.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      ::open(fd == 1 ? "/dev/full" : "/dev/null", O_RDWR);
  }
  ::signal(SIGPIPE, SIG_IGN);  // NOLINT: a failed write says so itself
}

int run(const std::vector<std::string>& argv) {
  using namespace sthd;
  auto parsed = app::parse(argv);
  if (const auto* stop = std::get_if<app::Stop>(&parsed)) {
    app::Terminal terminal(app::Terminal::facts_of_process(false));
    if (stop->exit_code != 0) {
      terminal.error(stop->text);
      return stop->exit_code;
    }
    return terminal.output(stop->text) ? 0 : app::kReportLost;
  }
  const auto& options = std::get<app::Options>(parsed);
  app::Terminal terminal(app::Terminal::facts_of_process(options.quiet));
  const host::PluginHost plugins(host::plugin_folders(options.plugin_dirs));
  const app::CommandInput input{options, argv, plugins, terminal};
  switch (options.command) {
    case app::Command::run:
      return app::run_command(input);
    case app::Command::plan:
      return app::plan_command(input);
    case app::Command::check:
      return app::check_command(input);
    case app::Command::list:
      return app::list_command(input);
    case app::Command::cleanup:
      return app::cleanup_command(input);
    case app::Command::probe:
      return app::probe_command(input);
    case app::Command::doctor:
      return app::doctor_command(input);
    case app::Command::try_:
      return app::try_command(input);
    case app::Command::watch:
      return app::watch_command(input);
    case app::Command::analyze:
      return app::analyze_command(input);
    case app::Command::render:
      return app::render_command(input);
    case app::Command::compare:
      return app::compare_command(input);
    case app::Command::history:
      return app::history_command(input);
    case app::Command::explain:
      return app::explain_command(input);
  }
  return app::kUsage;
}

}  // namespace

int main(int argc, char* argv[]) {
  occupy_standard_streams();
  try {
    return run({argv, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "speedtest-hd: {}\n", sthd::display(e.what()));
    return 1;
  }
}
