// A worker must be named by a URL that is the same in the sources and in the package, where this file is the bundle.
import "./worker.ts";
