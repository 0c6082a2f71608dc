#include "controller/commands/controller.hpp"
#include "controller/commands/schedule.hpp"

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
    CLI::App program{"Sluice, a batch queue controller for Kubernetes", "sluice"};
    program.require_subcommand(1);
    int exit_code = 0;
    sluice::commands::add_controller(program, exit_code);
    sluice::commands::add_schedule(program, exit_code);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = program.exit(error);
        return code == 0 ? 0 : 2;  // help was asked for, or an option is bad
    }
    return exit_code;
}
