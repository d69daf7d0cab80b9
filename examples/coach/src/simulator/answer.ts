import { wordsOnFiles } from "@pawl/example-data-parts";
import type { Reply } from "@pawl/testing";
import { arcAfterTools, arcToWords, asksForArc } from "./arcs.ts";
import {
  backAgain,
  directions,
  excerpt,
  followUp,
  goodbye,
  greeting,
  longTalk,
  planKept,
  reflection,
  showcase,
} from "./lines.ts";
import { looksLikePlan, planSummary, quote, savePlan, stepsOf } from "./plan.ts";
import { field, type Scene } from "./scene.ts";

const FAREWELL =
  /^(?:(?:ok(?:ay)?|no|great|perfect)[\s,.!]+)?(?:that(?:'s| is) (?:all|it)|(?:good)?bye|thanks?|thank you|(?:i(?:'m| am) )?done|see you|good ?night)\b/i;
const HELLO = /^(?:hi|hello|hey|good (?:morning|day|afternoon|evening)|morning|start)\b/i;

/** Returns the coach's next text and tool calls. */
export function answer(scene: Scene): Reply {
  const { files, outcomes } = scene;
  if (files.now.length > 0) return toFiles(scene);
  if (outcomes.length > 0) return afterTools(scene);
  return toWords(scene);
}

/** Says what reached the simulator. In an arc, the text of the message is answered too. */
function toFiles(scene: Scene): Reply {
  const { files, said, type } = scene;
  const words = wordsOnFiles(files.now);
  if (files.alone) return { text: `${words}\n\nWhat would you like to tell me about it?` };
  if (type === "open_conversation") return { text: `${words}\n\nYou wrote: *${excerpt(said)}*` };
  const reply = toWords(scene);
  return { ...reply, text: reply.text === undefined ? words : `${words}\n\n${reply.text}` };
}

const ABOUT_FILES = /\b(photo|picture|image|screenshot|file|pdf|meal|plate)s?\b/i;

function toWords(scene: Scene): Reply {
  const { said, messages, direction, type, files } = scene;
  if (FAREWELL.test(said) && said.length < 80 && !/\bbut\b/i.test(said)) return farewell(scene);
  const inArc = arcToWords(scene);
  if (inArc !== undefined) return inArc;
  const wanted = type === "open_conversation" ? asksForArc(said) : undefined;
  if (wanted !== undefined) return wanted;
  if (files.before.length > 0 && ABOUT_FILES.test(said)) return { text: stillHere(files.before) };
  if (/\b(markdown|table|showcase)\b/i.test(said)) return { text: showcase };
  if (/\b(long|everything|whole week|story)\b/i.test(said)) return { text: longTalk };
  if (direction === directions.plan || looksLikePlan(said)) return savePlan(said);
  if (direction === directions.reflect) return saveReflection(said);
  if (direction === directions.mind) return saveThought(said);
  if (HELLO.test(said) && said.length < 60) return greeting(messages === 1);
  return { text: reflection(said, messages) };
}

function stillHere(files: readonly string[]): string {
  const them =
    files.length === 1
      ? `What you sent is still with me: ${files[0]}`
      : `The ${files.length} files that you sent are still with me, the last of them ${files.at(-1)}`;
  return `${them}. I am a simulation and cannot see what is in it. What about it is on your mind?`;
}

function afterTools(scene: Scene): Reply {
  const { outcomes, said } = scene;
  const failure = outcomes.find(({ failed }) => failed);
  if (failure !== undefined) {
    if (/^The user did not approve/.test(String(failure.value))) return { text: planKept };
    return {
      text: `That did not work: ${excerpt(String(failure.value))} Shall we continue without it for now?`,
    };
  }
  const last = outcomes.at(-1);
  const ended = outcomes.find(({ tool }) => tool === "complete_session");
  if (ended !== undefined) return { text: ended.input.type === "arc" ? backAgain : goodbye };
  const inArc = arcAfterTools(scene);
  if (inArc !== undefined) return inArc;
  if (last?.tool === "show_options") {
    const chosen = field(last.value, "chosen");
    return chosen === undefined ? toWords(scene) : { text: followUp(chosen) };
  }
  const saved = outcomes.map(({ input }) => input.file_type);
  if (saved.includes("day-plan")) return { text: planSummary(stepsOf(said)) };
  if (saved.includes("daily-log")) return { text: afterReflection(said) };
  return { text: afterThought(said) };
}

function saveReflection(said: string): Reply {
  return {
    thinking: "A moment from yesterday. Worth keeping as it was told, with one question to sit with.",
    text: "I'd like to keep that.",
    tools: [
      { name: "save_file", input: { file_type: "daily-log", content: `# Looking back\n\n${quote(said)}\n` } },
      {
        name: "save_file",
        input: {
          file_type: "reflection-prompt",
          content: "# A question to sit with\n\nWhat did this moment ask of you, and what did you give?\n",
        },
      },
    ],
  };
}

function saveThought(said: string): Reply {
  return {
    text: "Thank you for saying it. I'll write it down, so that you don't have to hold it.",
    tools: [
      { name: "save_file", input: { file_type: "capture", content: `# On my mind\n\n${quote(said)}\n` } },
    ],
  };
}

function afterReflection(said: string): string {
  return [
    "It is in your log now:",
    "",
    quote(excerpt(said)),
    "",
    "I left you **one question to sit with**, no answer needed today: *what did this moment ask of you, and what did you give?*",
    "",
    "Is there something of it you want to carry into today?",
  ].join("\n");
}

function afterThought(said: string): string {
  return `Written down. What I heard is: *${excerpt(said)}*\n\nWhich part of that is **yours to move**, and which part is not?`;
}

function farewell({ messages, arc }: Scene): Reply {
  const summary = `A conversation of ${messages} ${messages === 1 ? "message" : "messages"}.`;
  const type = arc === undefined ? "session" : "arc";
  return { tools: [{ name: "complete_session", input: { type, summary } }] };
}
