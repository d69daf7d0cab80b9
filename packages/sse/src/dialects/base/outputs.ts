import type { Json, SessionEvent, StoredEvent } from "@pawl/core";
import { outputSoFar } from "@pawl/core/view";

/** A step in sending the run's output. Each step replaces the one before. */
export type OutputStep =
  /** The part of the output that has arrived. In all, about ten times the output's length is sent. */
  | { type: "output"; final: false; value: Json }
  | { type: "output"; final: true; value: Json }
  /** There is no output: the attempt was lost, or what was sent does not match the schema. */
  | { type: "output"; final: false; value: undefined };

/** The least number of characters by which an output must have grown to be sent again. */
const LEAST = 64;

const VOID: OutputStep = { type: "output", final: false, value: undefined };

const OVER: readonly string[] = ["llm_request", "run_recovered", "run_suspended", "run_ended"];

/** Converts the events of outputs to steps. */
export function outputs(): {
  stored(event: StoredEvent): OutputStep[];
  live(event: SessionEvent): OutputStep[];
} {
  let attempt = 0;
  let json = "";
  let sentChars = 0;
  let isOpen = false;
  const nothing = (): OutputStep[] => {
    json = "";
    sentChars = 0;
    const wasOpen = isOpen;
    isOpen = false;
    return wasOpen ? [VOID] : [];
  };
  return {
    stored(event) {
      if (event.type === "llm_request") attempt = event.seq;
      if (OVER.includes(event.type)) return nothing();
      if (event.type !== "output") return [];
      const { value } = event.data;
      if (value === undefined) return nothing();
      isOpen = false;
      return [{ type: "output", final: true, value }];
    },
    live(event) {
      if (event.type !== "output_delta" || event.data.attempt !== attempt) return [];
      const { offset, text, wrapped } = event.data;
      if (offset > json.length || offset + text.length <= json.length) return [];
      json += text.slice(json.length - offset);
      if (json.length - sentChars < Math.max(LEAST, sentChars / 8)) return [];
      const value = outputSoFar(json, wrapped === true);
      if (value === undefined) return [];
      sentChars = json.length;
      isOpen = true;
      return [{ type: "output", final: false, value }];
    },
  };
}
