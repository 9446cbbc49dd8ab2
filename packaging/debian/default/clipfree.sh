# GLX asks clipfree, in login shells, unless they ask for another (package libgl-clipfree-default).
export __GLX_VENDOR_LIBRARY_NAME="${__GLX_VENDOR_LIBRARY_NAME:-clipfree}"
