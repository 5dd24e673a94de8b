/** For bundlers that copy no .wasm files: the entry that carries its own. */
import * as sqrtdk from "sqrtdk";
import * as worker from "sqrtdk/worker";
import { exercise } from "./exercise.js";
import { show } from "./show.js";

show(exercise({ sqrtdk, worker, external: sqrtdk }));
