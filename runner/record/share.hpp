#pragma once

#include "sthd/report.hpp"

namespace sthd::record {

/// The report as it may be shown to anyone: `--share`.
///
/// First only what is on a list is taken over: all figures, plan, findings and the facts that
/// describe kinds of hardware and software. Not on it are the host's name, the kernel's command
/// line, the texts of the profile's files, folders of files in argv, and mount options that name
/// somebody. Then what is known to name a machine, a person or a disk is replaced in every text by
/// a token, the same one everywhere: host names, users and their home folders (not /root), servers,
/// serial numbers, WWNs, UUIDs, MAC and IP addresses ("host-1", "user-1", "serial-3f9a1c22"). A
/// name is replaced only as a whole word of three characters or more, and not when it is a word
/// that the report uses anyway.
///
/// What somebody wrote into labels and titles about other things stays, and so do the names of
/// pools and folders. shared(shared(r)) is shared(r).
Report shared(const Report& report);

}  // namespace sthd::record
