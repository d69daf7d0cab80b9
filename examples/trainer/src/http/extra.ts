import { PawlError, type Runtime, readShown } from "@pawl/core";
import type { Extra, ExtraFields } from "@pawl/sse";
import { askedModel } from "../agent/models.ts";
import { currentWorkout, reconcile } from "../workout/index.ts";

/** The knowledge source whose data is the active workout as the user's screen shows it. */
export const CURRENT_WORKOUT = "current_workout_session";

/**
 * Reads the trainer's own request fields, for `handler({ extra })`. `currentWorkout` is compared with the log
 * and appended for the model. `model` is the name of the model that answers.
 */
export function trainerExtra(runtime: Runtime, models: readonly string[]): ExtraFields {
  return {
    fields: ["currentWorkout", "model"],
    read: async ({ currentWorkout: sent, model }, { session }): Promise<Extra> => {
      const params = isAbsent(model) ? {} : { params: { model: askedModel(model, models) } };
      if (isAbsent(sent)) return params;
      const events = session && readShown(runtime.store, session.id, { types: ["artifact", "tool_result"] });
      const known = events && (await currentWorkout(events));
      const told = reconcile(sent, known);
      if (!told.ok) throw new PawlError("invalid_input", `currentWorkout cannot be read: ${told.problem}`);
      return { ...params, knowledge: [{ source: CURRENT_WORKOUT, data: told.text }] };
    },
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
