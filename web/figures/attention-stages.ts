/** The steps of attention, forward and back: what each makes, what it is called, and what it depends on. */

import type { CellPosition } from "./attention-layout.ts";
import type { AttentionSource, AttentionState, Direction, Slot } from "./attention-model.ts";

export type StageName = AttentionState["stage"];

export interface Stage {
  name: StageName;
  title: string;
  direction: Direction;
  /** What the step makes. */
  makes: readonly Slot[];
}

const forward = (name: StageName, title: string, ...makes: Slot[]): Stage => ({
  name,
  title,
  direction: "forward",
  makes,
});
const backward = (name: StageName, title: string, ...makes: Slot[]): Stage => ({
  ...forward(name, title, ...makes),
  direction: "backward",
});

export const stages: readonly Stage[] = [
  forward("inputs", "Q, K and V come in", "query", "key", "value"),
  forward("scores", "MatMul: scores", "raw"),
  forward("scale", "Scale", "scaled"),
  forward("mask", "Mask", "masked"),
  forward("softmax", "SoftMax: weights", "weights"),
  forward("output", "MatMul: output", "output"),
  backward("grad-output", "Back: the gradient comes in", "output"),
  backward("grad-matmul", "Back through MatMul", "value", "weights"),
  backward("grad-softmax", "Back through SoftMax", "masked"),
  backward("grad-scale", "Back through Mask and Scale", "scaled", "raw"),
  backward("grad-inputs", "Back to Q and K", "query", "key"),
];

export const stageIndex = (name: StageName) => stages.findIndex((stage) => stage.name === name);
export const stageOf = (name: StageName) => stages[stageIndex(name)] as Stage;

/** What has been made in this direction, up to the stage itself. */
export function made(stage: Stage): ReadonlySet<Slot> {
  const upTo = stages.slice(0, stages.indexOf(stage) + 1);
  return new Set(upTo.filter(({ direction }) => direction === stage.direction).flatMap(({ makes }) => makes));
}

/** The stage in which a place is filled. */
export function stageThatMakes(slot: Slot, direction: Direction): Stage {
  return stages.find((stage) => stage.direction === direction && stage.makes.includes(slot)) as Stage;
}

const forwardNames: Record<Slot, string> = {
  query: "Q",
  key: "K",
  value: "V",
  raw: "S = QK\u1d40",
  scaled: "S / \u221ad_k",
  masked: "Z, masked",
  weights: "P, weights",
  output: "O = PV",
};

const backwardNames: Record<Slot, string> = {
  query: "dQ",
  key: "dK",
  value: "dV",
  raw: "dS",
  scaled: "d(S / \u221ad_k)",
  masked: "dZ",
  weights: "dP",
  output: "dO",
};

/** Short names for running text and for the spoken word. */
const plainNames: Record<Slot, string> = {
  query: "Q",
  key: "K",
  value: "V",
  raw: "S",
  scaled: "scaled S",
  masked: "Z",
  weights: "P",
  output: "O",
};

export function slotName(slot: Slot, direction: Direction, { scale, causal, bias }: AttentionSource): string {
  if (slot === "scaled" && scale === "none")
    return direction === "forward" ? "S, not scaled" : "dS, not scaled";
  if (slot === "masked" && direction === "forward" && !causal && !bias.flat().some(Boolean))
    return "Z, not masked";
  return (direction === "forward" ? forwardNames : backwardNames)[slot];
}

export function plainName(slot: Slot, direction: Direction): string {
  return direction === "forward" ? plainNames[slot] : `d${plainNames[slot]}`;
}

/** A row, a column or a cell that a cell was made from. */
export interface Origin {
  slot: Slot;
  row?: number;
  column?: number;
}

/** Only what the picture of this direction holds. */
export function origins({ slot, row, column }: CellPosition, direction: Direction): readonly Origin[] {
  if (direction === "forward") {
    switch (slot) {
      case "raw":
        return [
          { slot: "query", row },
          { slot: "key", row: column },
        ];
      case "scaled":
        return [{ slot: "raw", row, column }];
      case "masked":
        return [{ slot: "scaled", row, column }];
      case "weights":
        return [{ slot: "masked", row }];
      case "output":
        return [
          { slot: "weights", row },
          { slot: "value", column },
        ];
      default:
        return [];
    }
  }
  switch (slot) {
    case "value":
      return [{ slot: "output", column }];
    case "weights":
      return [{ slot: "output", row }];
    case "masked":
      return [{ slot: "weights", row }];
    case "scaled":
      return [{ slot: "masked", row, column }];
    case "raw":
      return [{ slot: "scaled", row, column }];
    case "query":
      return [{ slot: "raw", row }];
    case "key":
      return [{ slot: "raw", column: row }];
    default:
      return [];
  }
}
