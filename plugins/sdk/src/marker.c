// The section's name says what this plugin is, so that the host can judge it without running any of its code.
__attribute__((used, retain, section(STHD_PLUGIN_MARKER))) static const char sthd_marker[1] = {0};
