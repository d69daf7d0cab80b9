import { PawlError, type Runtime, readShown } from "@pawl/core";
import type { Extra, ExtraFields } from "@pawl/sse";
import { askedModel } from "../agent/models.ts";
import { currentWorkout, reconcile } from "../workout/index.ts";

/** The source name of what the user's screen shows of the active workout. */
export const CURRENT_WORKOUT = "current_workout_session";

/**
 * Reads the fields of the trainer's requests beside the message. `currentWorkout` is checked against the log
 * and appended for the model; `model` is the name of the model that shall answer.
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
