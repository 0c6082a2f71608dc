// Decodes the objects in files into the input of `sluice schedule`.
#pragma once

#include "controller/commands/schedule/schedule_cluster.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// A file of objects in YAML or JSON: any number of documents and lists.
struct InputFile {
    std::string name;  ///< its name in messages
    std::string text;
};

/// The decoded objects. Problems name file, line, object and field; the objects with problems are
/// left out.
struct ScheduleInput {
    ScheduleCluster cluster;
    std::vector<std::string> problems;
    std::vector<std::string> warnings;  ///< unknown fields, once per kind; negative requests
    std::vector<std::string> notes;
};

/// Reads the objects in the given order; if two have the same name, the later one counts. Skips
/// kinds that have no effect, with a note per kind.
ScheduleInput read_input(const std::vector<InputFile>& files);

}  // namespace sluice::commands
