// kernel-audit manual and kernel-audit completion: what --help knows, for man and for bash.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "kernel_audit/cli/command.h"

namespace kernel_audit::cli {
namespace {

// Text in roff: a backslash and a line's first dot or quote mean something there.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) escaped += "\\&";
    if (c == '-') escaped += '\\';
    escaped += c;
    if (c == '\\') escaped += "e";
  }
  return escaped;
}

// "--stage", "MODULE"; several with commas.
std::string NamesOf(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  return names.empty() ? option.get_name(true) : names;
}

// The values that an option takes, where they are few: "1 2 3 all".
std::string ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  std::string choices = type.substr(open + 1, close - open - 1);
  for (char& c : choices) c = c == ',' ? ' ' : c;
  return choices;
}

std::string ManualOf(const CLI::App& command) {
  std::string text = ".SS " + Roff(command.get_name()) + "\n" + Roff(command.get_description()) + ".\n";
  for (const CLI::Option* option : command.get_options()) {
    const std::string choices = ChoicesOf(*option);
    text += ".TP\n.B " + Roff(NamesOf(*option)) + "\n" + Roff(option->get_description()) + (choices.empty() ? "" : " (" + Roff(choices) + ")") + (option->get_required() ? "; required" : "") + "\n";
  }
  return command.get_footer().empty() ? text : text + ".PP\n.nf\n" + Roff(command.get_footer()) + "\n.fi\n";
}

std::string Manual(const CLI::App& app) {
  std::string text = ".TH KERNEL\\-AUDIT 1 \"\" \"kernel\\-audit " KA_VERSION "\" \"User Commands\"\n.SH NAME\nkernel\\-audit \\- " + Roff(app.get_description()) +
                     "\n.SH SYNOPSIS\n.B kernel\\-audit\n.I COMMAND\n[options]\n.SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({})) text += ManualOf(*command);
  return text +
         ".SH EXIT STATUS\n.TP\n.B 0\nEverything passed.\n.TP\n.B 1\nA check failed or a finding was made.\n.TP\n.B 2\nRefused: no TPU, an unmet guard.\n.TP\n.B 3\nBad usage or bad input.\n.TP\n.B 4\nA bug of kernel\\-audit.\n"
         ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colour on a terminal.\n.TP\n.B KERNEL_AUDIT_XLA_CPU_PLUGIN\nThe PJRT plugin that runs host operations.\n.TP\n.B TPU_LIBRARY_PATH\nThe file libtpu.so.\n";
}

std::string CompletionOf(const CLI::App& command) {
  std::string options, choices;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      options += " --" + name;
      if (const std::string values = ChoicesOf(*option); !values.empty()) choices += "      " + command.get_name() + ":--" + name + ") words=\"" + values + "\" ;;\n";
    }
  }
  return choices + "      " + command.get_name() + ":*) [[ $word == -* ]] && words=\"" + options + "\" ;;\n";
}

std::string Completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += " " + command->get_name();
    cases += CompletionOf(*command);
  }
  return "# bash completion of kernel-audit: source <(kernel-audit completion)\n_kernel_audit() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n    words=\"" + names + " --help --version\"\n  else\n    case ${COMP_WORDS[1]}:$before in\n" + cases + "    esac\n  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
         "complete -o bashdefault -o default -F _kernel_audit kernel-audit ./kernel-audit\n";
}

}  // namespace

void AddManual(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("manual", "Print the manual page, in roff");
  command->footer("Example: kernel-audit manual | man -l -");
  command->callback([&app] { std::fputs(Manual(app).c_str(), stdout); });
}

void AddCompletion(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("completion", "Print the completion script for bash");
  command->footer("Example: source <(kernel-audit completion)");
  command->callback([&app] { std::fputs(Completion(app).c_str(), stdout); });
}

}  // namespace kernel_audit::cli
