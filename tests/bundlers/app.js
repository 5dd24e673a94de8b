/** The user's code: nothing in it knows of the bundler. */
import * as sqrtdk from "sqrtdk";
import * as external from "sqrtdk/external";
import * as worker from "sqrtdk/worker";
import { exercise } from "./exercise.js";
import { show } from "./show.js";

show(exercise({ sqrtdk, worker, external }));
