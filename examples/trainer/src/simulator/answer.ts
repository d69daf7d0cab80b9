import type { JsonObject } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { ask, call, notify } from "./calls.ts";
import { adjust, log, meant, remove, swap } from "./changes.ts";
import { lookBack } from "./looking-back.ts";
import { exerciseOf, type Move, possible } from "./moves.ts";
import { asObject, type Scene } from "./scene.ts";

/** Chooses the trainer's next action, always exactly one call. */
export function answer(scene: Scene): Reply {
  const last = scene.outcomes.at(-1);
  if (last === undefined) return toWords(scene);
  if (last.tool === "message_notify_user") return call("idle", { reason: "The user has been told." });
  if (last.failed) return notify(`That did not work: ${withoutIds(plain(last.text))}`);
  return afterTool(scene, last.tool, last.input, last.text);
}

function afterTool({ artifactId, workout }: Scene, tool: string, input: JsonObject, text: string): Reply {
  switch (tool) {
    case "generate_workout": {
      const names = (workout ?? []).map(({ exercise_name }) => String(exercise_name).toLowerCase());
      return notify(
        `Here is your session: ${names.length} exercises, beginning with ${names[0] ?? "the first"} while you are fresh. Stop a set when you could do one or two more.`,
        artifactId,
      );
    }
    case "swap_exercise":
      return notify(
        `Done: **${asObject(input.new_exercise).exercise_name}** takes its place. It trains the same muscles with the equipment you have.`,
      );
    case "adjust_exercise":
      return notify("Adjusted. The card shows the new numbers.");
    case "remove_exercise":
      return notify("Removed. The rest stays as it was.");
    case "log_workout":
      return notify("Logged, well done. Your charts are up to date. Give those muscles a day or two.");
    case "set_current_location":
      return notify("Got it. From now on I plan with the equipment there.");
    case "fetch_data":
      return notify(lookBack(plain(text)));
    default:
      return call("idle", { reason: "There is nothing left to do." });
  }
}

const FULL_BODY: readonly Move["part"][] = ["legs", "chest", "back", "core"];
const PARTS: readonly (readonly [RegExp, readonly Move["part"][]])[] = [
  [/\b(chest|push)\b/i, ["chest", "shoulders", "arms", "core"]],
  [/\b(back|pull)\b/i, ["back", "arms", "core"]],
  [/\b(legs?|lower body|glutes)\b/i, ["legs", "core"]],
  [/\b(shoulders?)\b/i, ["shoulders", "arms", "core"]],
  [/\b(arms?|biceps|triceps)\b/i, ["arms", "shoulders"]],
  [/\b(core|abs)\b/i, ["core", "legs"]],
  [/\b(cardio|run|conditioning)\b/i, ["cardio", "core"]],
  [/\b((?:full|whole)[ -]body|everything)\b/i, FULL_BODY],
];

function toWords(scene: Scene): Reply {
  const { said } = scene;
  if (/^\W*(?:please\s+)?log\b/i.test(said)) return log(scene);
  if (/^\W*(?:thanks|thank you|great|okay|ok|bye)\b\W*$/i.test(said))
    return notify("Any time. Rest well until then.");
  const number = meant(scene);
  if (/\bswap\b|\breplace\b|\binstead of\b/i.test(said)) return swap(scene, number);
  if (/\b(adjust|change|more|fewer|heavier|lighter)\b/i.test(said) && number) return adjust(scene, number);
  if (/\b(remove|drop|skip|take out)\b/i.test(said) && number) return remove(scene, number);
  const isAboutThePast = /^\W*(?:what|when|how|did|have)\b/i.test(said);
  if (!isAboutThePast && /\b(log|i(?:'m| am) done|finished)\b/i.test(said)) return log(scene);
  const place =
    /\b(?:i(?:'m| am) (?:at|in)|switch to|train (?:at|in)|move to)\s+(?:the |my )?([\p{L}\d' -]{3,40})/iu.exec(
      said,
    )?.[1];
  if (place !== undefined) return call("set_current_location", { location_name: place.trim() });
  if (/\b(progress|history|statistics|how am i doing|last (?:week|month))\b/i.test(said)) {
    return call("fetch_data", {
      sources: ["workout_history", "exercise_distribution"],
      params: { workout_history: { days_back: 30 }, exercise_distribution: { days_back: 30 } },
    });
  }
  return workoutFor(scene);
}

function workoutFor(scene: Scene): Reply {
  const { said } = scene;
  const parts = PARTS.find(([words]) => words.test(said))?.[1];
  if (parts === undefined) {
    return /\b(workout|train|session|exercise)\b/i.test(said)
      ? ask("What shall it be today?", ["Chest and arms", "Back", "Legs", "Full body"])
      : ask("What can I do for you?", ["A chest workout", "A quick full body workout", "How am I doing?"]);
  }
  const quick = /\b(quick|short|15|20)\b/i.test(said);
  return call("generate_workout", { workout: workoutOf(scene, parts, quick) });
}

function workoutOf(scene: Scene, parts: readonly Move["part"][], quick: boolean): JsonObject {
  const { equipment, preferences, unit } = scene;
  const there = possible(equipment, preferences);
  const isFull = parts === FULL_BODY;
  const ofMain = isFull ? (quick ? 1 : 2) : 3;
  const chosen = parts.flatMap((part, at) =>
    there.filter((move) => move.part === part).slice(0, at === 0 ? ofMain : 1),
  );
  const most = chosen.slice(0, quick ? 3 : 6);
  const exercises = most.map((move, at) =>
    exerciseOf(move, { order: at + 1, sets: at === 0 && !quick ? 4 : 3, unit }),
  );
  const main = isFull ? "full body" : (parts[0] ?? "body");
  const paired = !quick && exercises.length >= 4;
  return {
    title: `${quick ? "Quick " : ""}${main} session`.replace(/^./, (letter) => letter.toUpperCase()),
    exercises: paired ? superset(exercises) : exercises,
  };
}

/** Makes a superset of the third and the fourth exercise. */
function superset(exercises: JsonObject[]): JsonObject[] {
  const group = (position: number): JsonObject => ({
    id: "superset-1",
    type: "superset",
    position,
    ...(position === 1 && { name: "Superset", rounds: 3, rest_between_rounds_sec: 60 }),
  });
  return exercises.map((exercise, at) =>
    at === 2 || at === 3 ? { ...exercise, group: group(at - 1) } : exercise,
  );
}

/** Removes the tags around a text. */
function plain(text: string): string {
  return text.replace(/<[^>]+>/g, "").trim();
}

/** Removes ids: they are for the model; people know their locations by name. */
function withoutIds(text: string): string {
  return text.replace(/ \([0-9a-f]{8}-[0-9a-f-]{27}\)/g, "");
}
