import { type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { named } from "../base/named.ts";
import { equipmentText, type TrainerDeps } from "../data/index.ts";
import { DATABASE_TIMEOUT_MS, orElse, resultOf } from "./support.ts";

export interface LocationSet {
  success: true;
  location: {
    id: string;
    name: string;
    description: string;
    equipment_count: number;
    equipment_summary: string;
  };
}

/** Changes the user's current location. */
export const setCurrentLocation = tool({
  name: "set_current_location",
  description:
    "Changes where the user trains from now on; workouts then use the equipment of that place. Give location_id if you know it, otherwise " +
    "location_name. One of them is needed.",
  input: z.object({
    location_id: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("The id. Takes precedence over the name."),
    location_name: z.string().trim().min(1).max(200).optional().describe("The name, in upper or lower case."),
  }),
  category: "location",
  status: { start: "Switching location...", done: "Location updated" },
  idempotent: true,
  repeatable: true,
  timeoutMs: DATABASE_TIMEOUT_MS,
  execute: async (
    { location_id, location_name },
    { userId, deps }: ToolContext<TrainerDeps>,
  ): Promise<LocationSet> =>
    await orElse("The location could not be changed at the moment. Try once more later.", async () => {
      const set = await deps.trainer.setCurrentLocation(userId, { id: location_id, name: location_name });
      const units = await deps.trainer.settings(userId);
      const { id, name, description, equipment } = set;
      const equipment_summary = equipmentText(set, units);
      return {
        success: true,
        location: { id, name, description, equipment_count: equipment.length, equipment_summary },
      };
    }),
  format: (result) => {
    const { id, name, equipment_count, equipment_summary } = resultOf<LocationSet>(result).location;
    const what = equipment_count === 0 ? "There is no equipment." : `Equipment: ${equipment_summary}`;
    return `The user now trains at "${named(name)}" (${id}). ${what}`;
  },
});
