#pragma once

#include "controller/commands/schedule/schedule_cluster.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// A file of objects: YAML or JSON, any number of documents and List kinds.
struct InputFile {
    std::string name;  ///< as it is named in reports
    std::string text;
};

/// What was read. Problems name file, line, object and field; their objects are left out.
struct ScheduleInput {
    ScheduleCluster cluster;
    std::vector<std::string> problems;
    std::vector<std::string> warnings;  ///< unknown fields, each kind's once; negative requests
    std::vector<std::string> notes;
};

/// Reads the objects in the order given; of two with the same name the later counts. Kinds that
/// play no part are skipped, with a note for each kind.
ScheduleInput read_input(const std::vector<InputFile>& files);

}  // namespace sluice::commands
