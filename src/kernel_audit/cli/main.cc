#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

#include "kernel_audit/cli/command.h"

namespace kernel_audit::cli {
namespace {

int ParseAndRun(int argc, char** argv) {
  CLI::App app("Write TPU kernels, or bring those that JAX wrote, and prove them on any Linux machine.", "kernel-audit");
  app.set_version_flag("--version", "kernel-audit " KA_VERSION);
  app.require_subcommand(1);
  int status = kPassed;
  for (AddCommand add : Commands()) add(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kBadInput;
  }
  return status;
}

}  // namespace
}  // namespace kernel_audit::cli

int main(int argc, char** argv) {
  using namespace kernel_audit::cli;
  try {
    return ParseAndRun(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernel-audit: a bug in kernel-audit, please report it: %s\n", error.what());
    return kBug;
  }
}
