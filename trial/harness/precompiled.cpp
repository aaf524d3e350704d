// Holds the precompiled header of the torch units; see ../CMakeLists.txt.
