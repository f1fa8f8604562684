#include "kernel_audit/cli/command.h"

namespace kernel_audit::cli {

void AddCheck(CLI::App& app, int& status);
void AddRuntime(CLI::App& app, int& status);
void AddRun(CLI::App& app, int& status);
void AddSimulate(CLI::App& app, int& status);
void AddTimeline(CLI::App& app, int& status);
void AddInspect(CLI::App& app, int& status);
void AddCompile(CLI::App& app, int& status);
void AddTarget(CLI::App& app, int& status);
void AddVerify(CLI::App& app, int& status);
void AddReport(CLI::App& app, int& status);
void AddDoctor(CLI::App& app, int& status);
void AddManual(CLI::App& app, int& status);
void AddCompletion(CLI::App& app, int& status);

std::span<const AddCommand> Commands() {
  static constexpr AddCommand kCommands[] = {AddCheck, AddRuntime, AddRun, AddSimulate, AddTimeline, AddInspect, AddCompile, AddTarget, AddVerify, AddReport, AddDoctor,
                                               AddManual, AddCompletion};
  return kCommands;
}

}  // namespace kernel_audit::cli
