// kernel-audit report: bundles as one page to look at.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/cli/output.h"
#include "kernel_audit/cli/verification.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/report/html.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::vector<std::string> folders;
  std::string output;
};

// Beside the first bundle, not in it: a bundle holds what its manifest lists.
std::filesystem::path OutputOf(const Arguments& arguments) {
  if (!arguments.output.empty()) return arguments.output;
  const std::filesystem::path folder = arguments.folders[0];
  return (folder.has_filename() ? folder : folder.parent_path()).string() + ".html";
}

core::Result<void> Report(const Arguments& arguments) {
  std::vector<VerifiedBundle> verified;
  for (const std::string& folder : arguments.folders) {
    auto bundles = VerifyFolder(folder);
    if (!bundles) return tl::unexpected(bundles.error());
    for (VerifiedBundle& each : *bundles) verified.push_back(std::move(each));
  }
  std::vector<report::ReportedBundle> reported;
  for (const VerifiedBundle& each : verified) reported.push_back({core::Printable(each.folder.string()), &each.bundle});
  const auto html = report::Html(reported);
  if (!html) return tl::unexpected(html.error());
  const std::filesystem::path output = OutputOf(arguments);
  if (auto written = core::WriteFile(output, *html); !written) return written;
  std::printf("%s: the report of %zu verified %s; open it with a browser, it needs no network\n", core::Printable(output.string()).c_str(), verified.size(), verified.size() == 1 ? "bundle" : "bundles");
  return {};
}

}  // namespace

void AddReport(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("report", "Write bundles as one HTML page to look at");
  command->add_option("DIR", arguments->folders, "Folders that --evidence-dir wrote; each is verified first")->required()->expected(1, 64);
  command->add_option("--output", arguments->output, "The file to write; DIR.html without it");
  command->footer("Example: kernel-audit check --implementation solution --stage all --evidence-dir runs/today && kernel-audit report runs/today");
  command->callback([arguments, &status] {
    const auto done = Report(*arguments);
    status = done ? kPassed : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
