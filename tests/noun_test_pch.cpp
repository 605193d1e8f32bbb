// Nothing: the precompiled header that all test programs share is made with this file's flags.
