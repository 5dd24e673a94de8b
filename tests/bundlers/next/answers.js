"use client";
import { useEffect } from "react";
import * as sqrtdk from "sqrtdk";
import * as external from "sqrtdk/external";
import * as worker from "sqrtdk/worker";
import { exercise } from "./exercise.js";
import { show } from "./show.js";

export function Answers() {
  useEffect(() => show(exercise({ sqrtdk, worker, external })), []);
  return null;
}
