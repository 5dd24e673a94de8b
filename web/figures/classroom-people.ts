/** The people of the classroom: peg dolls of any height, drawn with a few paths each. */
import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Theme } from "../charts/theme.ts";

export interface Person {
  /** Where the middle of the feet stands. */
  x: number;
  floor: number;
  height: number;
  width: number;
  theme: Theme;
}

export interface PupilOptions extends Person {
  /** 0 to 1: how strongly the light falls on it. */
  light: number;
  /** 0 to 1: how wide the eyes are open. */
  awake: number;
  /** Which of the heads of hair. */
  look: number;
}

export const headRadius = (width: number) => width * 0.34;
export const headCentre = ({ floor, height, width }: Person) => floor - height + headRadius(width);

/** The least a doll can be: a head, and some body under it. */
export const shortest = (width: number) => 2 * headRadius(width) + 0.55 * width;

function body(person: Person, waist = 0.5): string {
  const { x, floor, width } = person;
  const half = width * waist;
  const top = headCentre(person) + headRadius(width) * 0.72;
  const shoulder = top + Math.min(width * 0.62, (floor - top) * 0.6);
  return `M${x - half} ${floor}L${x - half * 0.86} ${shoulder}Q${x - half * 0.8} ${top} ${x} ${top}Q${x + half * 0.8} ${top} ${x + half * 0.86} ${shoulder}L${x + half} ${floor}Z`;
}

/** Hair around a head of radius 1 at the origin. */
const hair: readonly string[] = [
  "M-1-.08A1 1 0 0 1 1-.08Q.5-.62-.1-.5Q-.7-.45-1-.08Z",
  "M-1-.02A1 1 0 0 1 1-.02Q.72-.5.35-.42Q-.2-.72-1-.02ZM-.3-1.12a.34.34 0 1 1 .6 0a.34.34 0 1 1-.6 0Z",
  "M-1-.1A1 1 0 0 1 1-.1Q.85-.5.6-.42Q.4-.7.1-.48Q-.2-.75-.45-.45Q-.8-.6-1-.1Z",
  "M-1.02.3Q-1.25-.9 0-1.06Q1.25-.9 1.02.3Q.95-.35.5-.5Q-.3-.3-.62-.52Q-.95-.3-1.02.3Z",
];

interface Face {
  x: number;
  y: number;
  radius: number;
  theme: Theme;
  look: number;
  awake: number;
  /** Where the eyes turn to, each from -1 to 1. */
  gaze?: readonly [across: number, down: number];
}

function head({ x, y, radius, theme, look, awake, gaze = [0, 0] }: Face): SVGTemplateResult {
  const size = 0.13;
  const asleep = awake < 0.16;
  // Closed lids hang as arcs; open eyes are as high as they are open.
  const eye = (side: number) =>
    asleep
      ? svg`<path d="M${side * 0.38 - 0.17} .08q.17 .15 .34 0" fill="none" stroke=${theme.ink} stroke-width=".09" stroke-linecap="round"></path>`
      : svg`<ellipse cx=${side * 0.36 + gaze[0] * 0.1} cy=${0.08 + gaze[1] * 0.1} rx=${size} ry=${size * (0.35 + 1.05 * awake)} fill=${theme.ink}></ellipse>`;
  const smile = 0.3 * awake;
  return svg`<g transform="translate(${x} ${y}) scale(${radius})">
    <circle r="1" fill=${theme.paper}></circle>
    <circle r="1" fill=${theme.glow} fill-opacity=".2" stroke=${theme.ink} stroke-width=${1.5 / radius}></circle>
    <path d=${hair[look % hair.length]} fill=${theme.muted} stroke=${theme.ink} stroke-width=".06"></path>
    ${eye(-1)}${eye(1)}
    <path d="M-.24 ${0.5 - smile / 3}q.24 ${smile} .48 0" fill="none" stroke=${theme.ink} stroke-width=".09" stroke-linecap="round"></path>
  </g>`;
}

/** Buttons, stripes or a scarf: so that one knows each pupil again however tall it grows. */
function garment(options: PupilOptions): SVGTemplateResult {
  const { x, width, theme, look } = options;
  const y = headCentre(options) + headRadius(width);
  const line = (d: string, thick = 1.6) =>
    svg`<path d=${d} fill="none" stroke=${theme.ink} stroke-opacity=".75" stroke-width=${thick} stroke-linecap="round"></path>`;
  const third = look % 3;
  if (third === 0) {
    const buttons = [0.34, 0.58].map(
      (down) =>
        svg`<circle cx=${x} cy=${y + down * width} r=${Math.max(1.2, width * 0.035)} fill=${theme.ink}></circle>`,
    );
    return svg`${line(`M${x - width * 0.16} ${y - 1}L${x} ${y + width * 0.16}L${x + width * 0.16} ${y - 1}`)}${buttons}`;
  }
  if (third === 1)
    return svg`${[0.36, 0.48].map((down) => line(`M${x - width * 0.4} ${y + down * width}H${x + width * 0.4}`))}`;
  return svg`${line(`M${x - width * 0.24} ${y + 1}q${width * 0.24} ${width * 0.14} ${width * 0.48} 0`, 4)}${line(`M${x + width * 0.1} ${y + 4}l${width * 0.05} ${width * 0.3}`, 4)}`;
}

export function pupil(options: PupilOptions): SVGTemplateResult {
  const { x, width, theme, light, look, awake } = options;
  const outline = body(options);
  return svg`<g>
    <path d=${outline} fill=${theme.panel} stroke=${theme.ink} stroke-width="1.5" stroke-linejoin="round"></path>
    ${light > 0.01 ? svg`<path d=${outline} fill=${theme.glow} fill-opacity=${(0.6 * light).toFixed(3)}></path>` : nothing}
    ${garment(options)}
    ${[-1, 1].map((side) => svg`<path d="M${x + side * width * 0.27} ${headCentre(options) + headRadius(width) * 2.3}v${width * 0.32}" stroke=${theme.ink} stroke-opacity=".6" stroke-width="1.3" stroke-linecap="round"></path>`)}
    ${head({ x, y: headCentre(options), radius: headRadius(width), theme, look, awake })}
  </g>`;
}

export interface TeacherOptions extends Person {
  /** Where the teacher looks. */
  target: { x: number; y: number };
  /** The upper end of the cord that the hand pulls. */
  cord: { x: number; y: number };
}

export function teacher(options: TeacherOptions): SVGTemplateResult {
  const { x, width, theme, target, cord } = options;
  const y = headCentre(options);
  const radius = headRadius(width);
  const away = Math.hypot(target.x - x, target.y - y) || 1;
  const shoulder = { x: x + width * 0.3, y: y + radius * 1.75 };
  const hand = { x: cord.x, y: y + radius * 0.7 };
  return svg`<g>
    <line x1=${cord.x} x2=${cord.x} y1=${cord.y} y2=${hand.y} stroke=${theme.ink} stroke-width="1.5"></line>
    <path d=${body(options, 0.56)} fill=${theme.muted} fill-opacity=".28" stroke=${theme.ink} stroke-width="1.5" stroke-linejoin="round"></path>
    <path d="M${shoulder.x} ${shoulder.y}L${hand.x} ${hand.y}" fill="none" stroke=${theme.ink} stroke-width=${Math.max(4, width * 0.12)} stroke-linecap="round"></path>
    <circle cx=${hand.x} cy=${hand.y} r=${Math.max(3, width * 0.09)} fill=${theme.paper} stroke=${theme.ink} stroke-width="1.5"></circle>
    ${head({ x, y, radius, theme, look: 3, awake: 0.8, gaze: [(target.x - x) / away, (target.y - y) / away] })}
    <g transform="translate(${x} ${y}) scale(${radius})" fill="none" stroke=${theme.ink} stroke-width=".08">
      <circle cx="-.36" cy=".08" r=".28"></circle><circle cx=".36" cy=".08" r=".28"></circle><path d="M-.09 .04q.09-.06 .18 0"></path>
    </g>
  </g>`;
}
