import { PawlError } from "@pawl/core";
import type { ExtraFields } from "@pawl/sse";
import { isTimeZone } from "../base/day.ts";
import { isSessionType, sessionTypes } from "./session-types.ts";

/**
 * The fields of the coach's requests beside the message, for `handler({ extra })`: `sessionType`, the type of
 * a session that begins with it, and `timeZone`, where the user is. In a session that there is already they
 * change nothing.
 */
export function coachExtra(): ExtraFields {
  return {
    fields: ["sessionType", "timeZone"],
    read: ({ sessionType, timeZone }) => {
      const type = given(sessionType);
      const zone = given(timeZone);
      if (type !== undefined && !isSessionType(type)) {
        throw new PawlError(
          "invalid_input",
          `sessionType is one of ${Object.keys(sessionTypes).join(", ")}.`,
        );
      }
      if (zone !== undefined && !isTimeZone(zone)) {
        throw new PawlError("invalid_input", "timeZone is a name like Europe/Berlin.");
      }
      return {
        metadata: { ...(type !== undefined && { type }), ...(zone !== undefined && { time_zone: zone }) },
      };
    },
  };
}

function given<T>(value: T): Exclude<T, null> | undefined {
  return value === null ? undefined : (value as Exclude<T, null>);
}
