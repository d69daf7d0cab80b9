/** The units in which a user reads weights and distances. */
export interface Units {
  weight_unit: "kg" | "lb";
  distance_unit: "km" | "mi";
}

const KG_PER_LB = 0.45359237;
const KM_PER_MI = 1.609344;

/** Converts a weight to kilograms. */
export function toKg(value: number, unit: string | undefined): number {
  return unit === "lb" ? value * KG_PER_LB : value;
}

/** Converts a distance to kilometres. */
export function toKm(value: number, unit: string | undefined): number {
  if (unit === "m") return value / 1_000;
  return unit === "mi" ? value * KM_PER_MI : value;
}

/** Formats a weight in kilograms in the user's unit, e.g. `82 kg`. */
export function weightText(kg: number, { weight_unit }: Units): string {
  return `${weightNumber(kg, weight_unit)} ${weight_unit}`;
}

/** Converts a weight in kilograms to the unit, with at most one decimal. */
export function weightNumber(kg: number, unit: "kg" | "lb"): number {
  return rounded(unit === "lb" ? kg / KG_PER_LB : kg);
}

/** Formats a distance in kilometres in the user's unit, e.g. `5 km`. */
export function distanceText(km: number, { distance_unit }: Units): string {
  return `${rounded(distance_unit === "mi" ? km / KM_PER_MI : km)} ${distance_unit}`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
