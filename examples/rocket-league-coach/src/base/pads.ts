/** A boost pad of the standard field. Coordinates are in unreal units from the centre. */
export interface Pad {
  /** 0 to 33. */
  readonly id: number;
  /** From -4096 to 4096, from one side wall to the other. */
  readonly x: number;
  /** From -5120 to 5120. Positive is the opponents' half. */
  readonly y: number;
  readonly size: "small" | "big";
}

/** The size of the field, in unreal units: from the centre to the side walls and to the back walls. */
export const field: { readonly half_width: 4096; readonly half_length: 5120 } = {
  half_width: 4096,
  half_length: 5120,
};

/** The boost that a pad of each size gives, at most: a car holds 100. */
export const PAD_BOOST: Readonly<Record<Pad["size"], number>> = { small: 12, big: 100 };

// One half of the field: x and y of each pad, from the own goal to the halfway line. The source is in
// DATA.md.
const ownHalf: readonly (readonly [x: number, y: number, size?: "big"])[] = [
  [0, -4240],
  [-1792, -4184],
  [1792, -4184],
  [-3072, -4096, "big"],
  [3072, -4096, "big"],
  [-940, -3308],
  [940, -3308],
  [0, -2816],
  [-3584, -2484],
  [3584, -2484],
  [-1788, -2300],
  [1788, -2300],
  [-2048, -1036],
  [0, -1024],
  [2048, -1036],
];
const halfwayLine: typeof ownHalf = [
  [-3584, 0, "big"],
  [-1024, 0],
  [1024, 0],
  [3584, 0, "big"],
];
const theirHalf: typeof ownHalf = ownHalf.map(([x, y, size]) => (size ? [x, -y, size] : [x, -y]));

/** The 34 pads. They are seen from the player's own goal, whatever the team's colour. */
export const pads: readonly Pad[] = [...ownHalf, ...halfwayLine, ...theirHalf].map(([x, y, size], id) => ({
  id,
  x,
  y,
  size: size ?? "small",
}));
