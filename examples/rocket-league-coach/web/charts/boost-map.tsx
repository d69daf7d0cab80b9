import { AsTable } from "@pawl/example-page-parts";
import type { BoostAnalysis, PadUse } from "../../src/base/shapes.ts";
import { numberOf } from "../base/words.ts";

/** A pad counts as different from the rank's habit from this share on. */
const DIFFERENT = 0.1;
/** The radius of a pad that is picked up once in a match, in unreal units. */
const RADIUS = 118;
const WALL = 420;

/** The pitch with its pads: the size is how often the user takes a pad, the colour compares with the rank. */
export function BoostMap({ field, pads, you }: Pick<BoostAnalysis, "field" | "pads" | "you">) {
  const { half_width: w, half_length: l } = field;
  const corner = 1_152;
  const box = [-w - 60, -l - WALL - 60, 2 * (w + 60), 2 * (l + WALL + 60)].join(" ");
  return (
    <figure className="rl-map">
      <svg viewBox={box} role="img" aria-label={inWords(pads, you.rank)}>
        <path className="rl-pitch" d={pitchOf(w, l, corner)} />
        <path className="rl-goal" d={goalOf(-l)} />
        <path className="rl-goal" d={goalOf(l)} />
        <path className="rl-level rl-pitch-line" d={`M${-w} 0H${w}`} />
        <circle className="rl-level rl-pitch-line" r={1_000} />
        {pads.map((pad) => (
          <Pad key={pad.id} pad={pad} />
        ))}
      </svg>
      <figcaption>
        <p className="rl-map-way" aria-hidden="true">
          You attack upwards. The larger a pad, the more often you take it. A ring marks big pads.
        </p>
        <ul className="rl-legend">
          {[...WORDS].map(([use, words]) => (
            <li key={use}>
              <i className={`rl-key rl-key-pad rl-pad-${use}`} aria-hidden="true">
                {SIGNS.get(use)}
              </i>{" "}
              {words}
            </li>
          ))}
        </ul>
      </figcaption>
      <AsTable
        of="pickups of each pad in a match"
        columns={["Pad", "You", you.rank, "Your share of pickups"]}
        rows={pads.map((pad) => [
          nameOf(pad),
          numberOf(pad.per_match),
          numberOf(pad.rank_per_match),
          `${numberOf(shareOf(pad, pads))}%`,
        ])}
      />
    </figure>
  );
}

type Use = "more" | "less" | "same";

const WORDS: ReadonlyMap<Use, string> = new Map([
  ["more", "more than your rank"],
  ["same", "about the same"],
  ["less", "less than your rank"],
]);

const SIGNS: ReadonlyMap<Use, string> = new Map([
  ["more", "+"],
  ["same", ""],
  ["less", "−"],
]);

function useOf({ per_match, rank_per_match }: PadUse): Use {
  if (per_match > rank_per_match * (1 + DIFFERENT)) return "more";
  return per_match < rank_per_match * (1 - DIFFERENT) ? "less" : "same";
}

function Pad({ pad }: { pad: PadUse }) {
  const use = useOf(pad);
  // The area shows how often: the radius grows with the square root.
  const radius = RADIUS * Math.sqrt(Math.max(0.25, pad.per_match));
  // The user attacks towards positive y, which is drawn upwards.
  const place = { cx: pad.x, cy: -pad.y };
  return (
    <g data-testid="rl-pad" data-use={use}>
      <title>{`${nameOf(pad)}: you ${numberOf(pad.per_match)}, rank ${numberOf(pad.rank_per_match)}`}</title>
      {pad.size === "big" && <circle className="rl-pad-ring" {...place} r={radius + 90} />}
      <circle className={`rl-pad-${use}`} {...place} r={radius} />
      <text className="rl-pad-sign" x={pad.x} y={-pad.y} dy="0.35em" textAnchor="middle">
        {SIGNS.get(use)}
      </text>
    </g>
  );
}

/** Returns a pad's share of all pickups, in percent with one decimal. */
function shareOf({ per_match }: PadUse, pads: readonly PadUse[]): number {
  const total = pads.reduce((sum, pad) => sum + pad.per_match, 0);
  return total === 0 ? 0 : Math.round((1_000 * per_match) / total) / 10;
}

/** Names a pad by its number, size and place, e.g. `4: big, own half, right`. */
function nameOf({ id, size, x, y }: PadUse): string {
  const side = x === 0 ? "centre" : x < 0 ? "left" : "right";
  const half = y === 0 ? "halfway line" : y < 0 ? "own half" : "opponents' half";
  return `${id + 1}: ${size}, ${half}, ${side}`;
}

function inWords(pads: readonly PadUse[], rank: string): string {
  const big = pads.filter(({ size }) => size === "big");
  const small = pads.filter(({ size }) => size === "small");
  const bySize = [`big pads: ${compared(big)}`, `small pads: ${compared(small)}`];
  return `Boost map of ${pads.length} pads. Pickups in a match, beside ${rank}: ${bySize.join("; ")}.`;
}

function compared(pads: readonly PadUse[]): string {
  const total = (amount: (pad: PadUse) => number) =>
    numberOf(Math.round(pads.reduce((sum, pad) => sum + amount(pad), 0)));
  return `you ${total((pad) => pad.per_match)}, rank ${total((pad) => pad.rank_per_match)}`;
}

function pitchOf(w: number, l: number, c: number): string {
  return `M${-w + c} ${-l}H${w - c}L${w} ${-l + c}V${l - c}L${w - c} ${l}H${-w + c}L${-w} ${l - c}V${-l + c}Z`;
}

function goalOf(at: number): string {
  return `M-893 ${at}v${Math.sign(at) * WALL}h1786v${-Math.sign(at) * WALL}`;
}
