import type { Json, JsonObject } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { checkIn, evening, lifeMap } from "./arc-files.ts";
import { directions, excerpt, followUp, greeting } from "./lines.ts";
import { looksLikePlan, planSummary, quote, savePlan, stepsOf } from "./plan.ts";
import { field, type Scene } from "./scene.ts";

const AGREED =
  /^(?:(?:oh|ah|well)[\s,]+)?(?:yes|yeah|yep|ok(?:ay)?|good|fine|perfect|exactly|right|true|it (?:fits|does)|that(?:'s| is) (?:right|good|it)|looks? (?:good|right)|sounds? (?:good|right)|fits|no changes?)\b/i;

const WANTED: readonly [pattern: RegExp, arc: string][] = [
  [/\b(?:close|end|finish|wrap up) (?:my|the|this) day\b|\bevening review\b/i, "close_day"],
  [/\b(?:start|open|begin) (?:my|the|this) day\b|\bmorning check-?in\b/i, "open_day"],
  [/\bweekly (?:check-?in|review)\b/i, "weekly_checkin"],
  [/\b(?:map (?:out )?my life|life map(?:ping)?)\b/i, "life_mapping"],
];

/** Begins the arc, or the pulse check, that a message requests; `undefined` if it requests neither. */
export function asksForArc(said: string): Reply | undefined {
  const arc = WANTED.find(([pattern]) => pattern.test(said))?.[1];
  if (arc !== undefined) return call("enter_structured_arc", { arc, reason: excerpt(said, 120) });
  if (!/\bpulse\b/i.test(said)) return undefined;
  return call("show_pulse_check", { context: "A short look at all areas, before we talk." }, "Gladly.");
}

/** Answers a message in an arc, or in a session with a type. */
export function arcToWords(scene: Scene): Reply | undefined {
  const { type, said, told, saved, direction } = scene;
  switch (type) {
    case "open_day":
      if (direction === directions.plan) return savePlan(said);
      if (saved.includes("day-plan") || direction !== undefined) return undefined;
      return told <= 1 && scene.arc === undefined && !looksLikePlan(said) ? greeting(true) : savePlan(said);
    case "close_day":
      return closing(scene);
    case "weekly_checkin":
      if (scene.pulse === undefined) return pulse("How has the week left you?");
      return saved.includes("check-in")
        ? { text: "Noted. Shall we leave it at that for this week?" }
        : saving(checkIn(said, scene.pulse));
    case "life_mapping":
      if (scene.pulse === undefined) return pulse("A first look at all areas of your life.");
      return saved.includes("overview") ? undefined : saving(lifeMap(said, scene.pulse));
    case "quick_capture":
      return saving([{ file_type: "capture", content: `# Captured\n\n${quote(said)}\n` }]);
    default:
      return undefined;
  }
}

/** Continues after the tools of an arc have returned. */
export function arcAfterTools(scene: Scene): Reply | undefined {
  const { type, outcomes, said } = scene;
  const last = outcomes.at(-1);
  const saved = outcomes.map(({ input }) => input.file_type);
  if (last?.tool === "enter_structured_arc") return entered(scene);
  if (last?.tool === "show_pulse_check") return afterPulse(scene, last.value);
  if (last?.tool === "show_options") {
    const chosen = field(last.value, "chosen");
    return type === "open_day" && chosen !== undefined ? { text: followUp(chosen) } : undefined;
  }
  if (type === "open_day" && saved.includes("day-plan")) {
    return pulse("One look at where you stand, before the day begins.", planSummary(stepsOf(said)));
  }
  if (type === "close_day" && saved.includes("daily-log")) {
    return {
      text: `I've kept the day like this:\n\n${quote(excerpt(said))}\n\nWhat you noted on the way stands below it. **Does this fit, or would you change anything?**`,
    };
  }
  if (type === "weekly_checkin" && saved.includes("check-in")) {
    return call(
      "complete_session",
      { type: ending(scene), summary: "A week looked at, and aims for the next." },
      "That is a week with a shape.",
    );
  }
  if (type === "life_mapping" && saved.includes("overview")) {
    return call(
      "complete_session",
      { type: ending(scene), summary: "A first map of a life." },
      "There it is: a first map.",
    );
  }
  if (type === "quick_capture") return { text: "Caught. It will be there when you close the day." };
  return undefined;
}

/** Closes the day. The user's first message describes the day and is saved; later ones agree or change it. */
function closing(scene: Scene): Reply {
  const { said, told, saved } = scene;
  if (saved.includes("daily-log") && AGREED.test(said)) {
    return call("complete_session", { type: ending(scene), summary: "The day is in the journal." });
  }
  if (told <= 1 && scene.arc === undefined && said.length < 40) return { text: howWasToday };
  return saving(
    evening(said),
    saved.includes("daily-log") ? "Let me put it that way." : "Thank you. I'll put that into your journal.",
  );
}

const howWasToday =
  "Good evening. The day is nearly over; let us put it down. **Which moment of today is still with you?** A small one will do.";

function entered(scene: Scene): Reply | undefined {
  switch (scene.type) {
    case "open_day":
      return greeting(false);
    case "close_day":
      return { text: howWasToday };
    case "weekly_checkin":
      return pulse("How has the week left you?");
    case "life_mapping":
      return pulse("A first look at all areas of your life.");
    default:
      return undefined;
  }
}

function afterPulse(scene: Scene, value: Json): Reply {
  const told = pulseWords(value);
  const next: ReadonlyMap<string, string> = new Map([
    ["open_day", "Go well into your day. I'm here when you want to close it."],
    ["weekly_checkin", "**What went well this week, and what was hard?** Tell me both in a few sentences."],
    [
      "life_mapping",
      "**Tell me about the two or three areas that matter most to you now:** how they are, and what you wish for.",
    ],
  ]);
  return { text: `${told}\n\n${next.get(scene.type) ?? "Is there one of them you want to talk about?"}` };
}

/** Describes the largest change of a rating in one sentence. */
function pulseWords(value: Json): string {
  const result = asObject(value);
  if (result.skipped === true || result.answered === false) return "We can leave that for another time.";
  const changes = Object.entries(asObject(result.changes)).map(
    ([domain, change]) => ({ domain, ...asObject(change) }) as Change,
  );
  const [most] = changes
    .filter(({ change }) => change !== undefined && change !== 0)
    .sort((a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
  if (most !== undefined)
    return `I see that **${most.domain}** went from ${most.before} to ${most.after}. Thank you for being honest about it.`;
  const [lowest] = changes.sort((a, b) => a.after - b.after);
  if (lowest === undefined) return "Thank you.";
  return `Thank you. **${lowest.domain}** is at ${lowest.after}; that is good to know.`;
}

interface Change {
  domain: string;
  before?: number;
  after: number;
  change?: number;
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function ending({ arc }: Scene): "session" | "arc" {
  return arc === undefined ? "session" : "arc";
}

function pulse(context: string, text?: string): Reply {
  return call("show_pulse_check", { context }, text);
}

function saving(files: readonly JsonObject[], text = "I'll keep that."): Reply {
  return { text, tools: files.map((input) => ({ name: "save_file", input })) };
}

function call(name: string, input: JsonObject, text?: string): Reply {
  return { ...(text !== undefined && { text }), tools: [{ name, input }] };
}
