import { PawlError } from "@pawl/core";
import type { ExtraFields } from "@pawl/sse";
import { isTimeZone } from "../base/day.ts";
import { isSessionType, sessionTypes } from "./session-types.ts";

/** The longest name of a user, in UTF-16 code units. */
const LONGEST_NAME = 80;

/**
 * Reads the coach's own request fields, for `handler({ extra })`: `sessionType` (the type of a new session),
 * `timeZone` (the user's time zone) and `displayName` (the name that the coach uses). They have no effect in
 * an existing session.
 */
export function coachExtra(): ExtraFields {
  return {
    fields: ["sessionType", "timeZone", "displayName"],
    read: ({ sessionType, timeZone, displayName }) => {
      const type = given(sessionType);
      const zone = given(timeZone);
      const name = given(displayName);
      if (type !== undefined && !isSessionType(type)) {
        throw new PawlError(
          "invalid_input",
          `sessionType must be one of ${Object.keys(sessionTypes).join(", ")}.`,
        );
      }
      if (zone !== undefined && !isTimeZone(zone)) {
        throw new PawlError("invalid_input", "timeZone must be an IANA time zone, e.g. Europe/Berlin.");
      }
      if (name !== undefined && (typeof name !== "string" || name.length > LONGEST_NAME)) {
        throw new PawlError(
          "invalid_input",
          `displayName must be a text of at most ${LONGEST_NAME} characters.`,
        );
      }
      return {
        metadata: {
          ...(type !== undefined && { type }),
          ...(zone !== undefined && { time_zone: zone }),
          ...(name !== undefined && { display_name: name }),
        },
      };
    },
  };
}

function given<T>(value: T): Exclude<T, null> | undefined {
  return value === null ? undefined : (value as Exclude<T, null>);
}
