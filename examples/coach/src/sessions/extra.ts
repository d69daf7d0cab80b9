import { PawlError } from "@pawl/core";
import type { ExtraFields } from "@pawl/sse";
import { isTimeZone } from "../base/day.ts";
import { isSessionType, sessionTypes } from "./session-types.ts";

/**
 * Reads the coach's own request fields, for `handler({ extra })`: `sessionType` (the type of a new session)
 * and `timeZone` (the user's time zone). They have no effect in an existing session.
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
          `sessionType must be one of ${Object.keys(sessionTypes).join(", ")}.`,
        );
      }
      if (zone !== undefined && !isTimeZone(zone)) {
        throw new PawlError("invalid_input", "timeZone must be an IANA time zone, e.g. Europe/Berlin.");
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
