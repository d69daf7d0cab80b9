import { named } from "../base/named.ts";
import { ageOn, dayOf } from "./dates.ts";
import { equipmentLines } from "./lines.ts";
import type { Profile, Settings } from "./rows.ts";
import type { TrainerDeps } from "./trainer-data.ts";
import { weightText } from "./units.ts";

/** A section of the user data, in the shape that `unifiedContext()` of `@pawl/knowledge` expects. */
export interface UserDataSection {
  tag: string;
  fetch(source: { session: { userId: string }; deps: TrainerDeps; signal: AbortSignal }): Promise<string>;
}

export interface SectionOptions {
  /**
   * Returns the time in milliseconds since 1970, to compute the user's age. Default: the clock of the data.
   */
  now?: () => number;
}

/**
 * Creates the user data for the start of each conversation: units, body, and the current location with its
 * equipment.
 */
export function userDataSections({ now }: SectionOptions = {}): UserDataSection[] {
  return [
    {
      tag: "unit_preferences",
      fetch: async ({ session, deps }) => {
        const { weight_unit, distance_unit } = await deps.trainer.settings(session.userId);
        return `Weight: ${weight_unit}\nDistance: ${distance_unit}`;
      },
    },
    {
      tag: "body_stats",
      fetch: async ({ session: { userId }, deps: { trainer } }) => {
        const [profile, units] = await Promise.all([trainer.profile(userId), trainer.settings(userId)]);
        return profileLines(profile, units, dayOf((now ?? trainer.now)()));
      },
    },
    {
      tag: "current_location",
      fetch: async ({ session: { userId }, deps: { trainer } }) => {
        const [locations, units] = await Promise.all([trainer.locations(userId), trainer.settings(userId)]);
        const here = locations.find(({ current_location }) => current_location);
        if (here === undefined) return "";
        const equipment = equipmentLines(here, units);
        return [
          `Location: ${named(here.name)}`,
          equipment.length === 0 ? "Equipment: none" : "Equipment:",
          ...equipment,
        ].join("\n");
      },
    },
  ];
}

/** Formats a profile, one line per fact. `history` adds the past measurements. */
export function profileLines(
  profile: Profile | undefined,
  units: Settings,
  today: string,
  { history = false }: { history?: boolean } = {},
): string {
  if (profile === undefined) return "";
  const { sex, birth_date, height_cm, experience, measurements } = profile;
  const weight = measurements.find(({ weight_kg }) => weight_kg !== null)?.weight_kg;
  const fat = measurements.find(({ body_fat_percent }) => body_fat_percent !== null)?.body_fat_percent;
  const known: (readonly [what: string, value: string | number | null | undefined])[] = [
    ["Sex", sex],
    ["Age", birth_date === null ? null : ageOn(birth_date, today)],
    ["Height", height_cm && `${height_cm} cm`],
    ["Weight", weight && weightText(weight, units)],
    ["Body fat", fat && `${fat} %`],
    ["Experience", experience === null ? null : named(experience)],
  ];
  const found = known.filter(([, value]) => value !== null && value !== undefined && value !== 0);
  const lines = found.map(([what, value]) => `${what}: ${value}`);
  if (history && measurements.length > 1) {
    lines.push("Measurements, newest first:");
    for (const { measured_on, weight_kg, body_fat_percent } of measurements) {
      const parts = [
        weight_kg && weightText(weight_kg, units),
        body_fat_percent && `${body_fat_percent} % fat`,
      ];
      lines.push(`  - ${measured_on}: ${parts.filter(Boolean).join(", ")}`);
    }
  }
  return lines.join("\n");
}
