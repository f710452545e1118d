// Nothing of its own: it carries the precompiled header of all test programs.
int main() { return 0; }
