import type { Agent, WhenBusy } from "../../agent/agent.ts";
import { ownModels } from "../../agent/check-tools.ts";
import { checkOptions, kindOf, type OptionKinds } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import { withoutHidden } from "../../base/hidden-text.ts";
import { isBlank } from "../../base/text.ts";
import { canRead } from "../../context/file-bytes.ts";
import { isFileId } from "../../files/hashed-files.ts";
import { type FileFacts, LARGEST_UPLOAD, MOST_PAGES, refusedFile } from "../../files/inspect-file.ts";
import type { FileToKeep, OwnUserFiles } from "../../files/user-files.ts";
import type { FileReference } from "../../log/event-parts.ts";
import type { ToolSpec } from "../../model/content.ts";
import type { ModelClient } from "../../model/model-client.ts";
import { checkedOffer } from "../../tools/offered-tools.ts";
import type { RunOptions } from "../begin/run-options.ts";
import type { Host } from "../leg/host.ts";
import { acceptingAgent, agentsInSession, speakersOf } from "../leg/speaking-agent.ts";

/** The most files of one message. With more, Claude's API refuses large pictures. */
const MOST_FILES = 20;

/** A message that was checked: its text, and its files. */
interface ReadInput {
  message: string;
  files: readonly ReadFile[];
}

/** A file of a message: its reference for the log, and its bytes and facts for the file store. */
interface ReadFile {
  reference: FileReference;
  kept: FileToKeep;
}

type MessagePart = Exclude<RunOptions["input"], string | undefined>[number];
type FilePart = Extract<MessagePart, { type: "file" }>;

/** A message that was checked for the agent that will answer it. */
interface CheckedMessage extends ReadInput {
  /** What happens if a run is in progress: the option of that run's agent, or else of the request. */
  whenBusy: WhenBusy | undefined;
  clientTools: ToolSpec[] | undefined;
}

/**
 * Checks the tools and files of a message by the options of the agent that has the conversation. Stores
 * nothing.
 *
 * @throws PawlError `invalid_input`
 */
export async function checkedMessage(
  host: Host,
  agent: Agent,
  { userId, sessionId, input = "", clientTools: offer, whenBusy }: RunOptions,
): Promise<CheckedMessage> {
  const speakers = speakersOf(host, agent.name);
  const mustKnow = offer !== undefined || typeof input !== "string" || speakers.some((one) => one.whenBusy);
  const known = mustKnow && sessionId ? await agentsIn(host, sessionId, userId) : undefined;
  const { ran = agent, speaks = agent } = known ?? {};
  const clientTools = offer && checkedOffer(acceptingAgent(speaks, speakers), offer);
  const content =
    typeof input === "string"
      ? { message: input, files: [] }
      : await readInput(host.files, ownModels(speaks), { userId, input });
  return { ...content, whenBusy: ran.whenBusy ?? whenBusy, clientTools };
}

/** Returns the agents in the user's session; `undefined` if the user has no such session. */
async function agentsIn(host: Host, sessionId: string, userId: string) {
  const session = await host.store.sessions.get(sessionId);
  return session?.userId === userId ? await agentsInSession(host, session) : undefined;
}

/**
 * Checks a message, and reads its text and its files. Stores nothing.
 *
 * @throws PawlError `invalid_input` for an empty message, for too many or too large files, for a file that
 * the user does not have or none of these models can read, and for any file if the runtime has no option
 * `files`
 */
async function readInput(
  files: OwnUserFiles | undefined,
  models: readonly ModelClient[],
  { userId, input }: { userId: string; input: readonly MessagePart[] },
): Promise<ReadInput> {
  checkParts(input);
  const message = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const { length: fileCount } = input.filter((part) => part.type === "file");
  if (fileCount === 0) return { message, files: [] };
  if (files === undefined)
    throw refusedFile("Messages cannot have files here: runtime() has no option `files`.");
  if (fileCount > MOST_FILES) throw refusedFile(`At most ${MOST_FILES} files fit into a message.`);
  const read: ReadFile[] = [];
  let bytesLeft = LARGEST_UPLOAD;
  for (const [index, part] of input.entries()) {
    if (part.type !== "file") continue;
    const whose = `\`input[${index}].data\``;
    // Errors begin with the file's name if the message has several.
    const label = fileCount > 1 ? `${shownName(part.name) ?? `File ${read.length + 1}`}: ` : "";
    const kept = await readPart(files, userId, part, { whose, label });
    const { content: _, id, ...facts } = kept;
    bytesLeft -= facts.bytes;
    if (bytesLeft < 0)
      throw refusedFile(`The files of a message may have at most ${LARGEST_UPLOAD} bytes in all.`);
    if (!models.some((model) => canRead(model, facts.mediaType)))
      throw refusedFile(
        `${label}The model ${models[0]?.id} cannot read files of the type ${facts.mediaType}.`,
      );
    read.push({ reference: { id, ...factsInLog(facts), ...namePart(part.name) }, kept });
  }
  const pages = read.reduce((sum, { reference }) => sum + (reference.pages ?? 0), 0);
  if (pages > MOST_PAGES)
    throw refusedFile(`The PDFs of a message may have at most ${MOST_PAGES} pages in all.`);
  return { message, files: read };
}

/** Inspects the bytes of a part. For an uploaded file, reads the stored facts only. */
async function readPart(
  files: OwnUserFiles,
  userId: string,
  part: FilePart,
  { whose, label }: { whose: string; label: string },
): Promise<FileToKeep> {
  if (part.id === undefined)
    return await files.inspect(userId, part.data, { whose }).catch((error: unknown) => {
      if (!PawlError.is(error, "invalid_input")) throw error;
      throw refusedFile(`${label}${error.message}`);
    });
  try {
    return await files.describe(userId, part.id);
  } catch (error) {
    if (!PawlError.is(error, "not_found")) throw error;
    throw refusedFile(`${label}A file of the message does not exist. Upload it again.`);
  }
}

/** Returns a file's facts in the form of the log. */
export function factsInLog({ mediaType, ...rest }: FileFacts): Omit<FileReference, "id" | "name"> {
  return { media_type: mediaType, ...rest };
}

/** The longest name of a file, in characters. Longer ones are cut. */
const LONGEST_NAME = 200;

/** Matches line breaks and tabs. */
const LINE_ENDS = /[\t\n\r\u2028\u2029]/g;

function namePart(given: string | undefined): { name?: string } {
  const name = shownName(given);
  return name === undefined ? {} : { name };
}

/** Returns the visible characters of a file's name, on one line; `undefined` without any. */
function shownName(name: string | undefined): string | undefined {
  const shown = Array.from(withoutHidden((name ?? "").toWellFormed()).replace(LINE_ENDS, ""))
    .slice(0, LONGEST_NAME)
    .join("");
  return isBlank(shown.replace(/\p{Default_Ignorable_Code_Point}/gu, "")) ? undefined : shown;
}

const TEXT: OptionKinds<Extract<MessagePart, { type: "text" }>> = { type: "any!", text: "string!" };

const FILE: OptionKinds<{ [Field in keyof FilePart]: unknown }> = {
  type: "any!",
  data: "any",
  id: "string",
  name: "string",
};

/** What to do instead of passing a field that is known from other libraries. */
const INSTEAD_IN_FILE = {
  mediaType: "Leave it out: the type is read from the file's bytes.",
  mimeType: "Leave it out: the type is read from the file's bytes.",
  filename: "Use `name`.",
  url: "Load the file, and give its bytes as `data`.",
  image: "Use `data`.",
  source: "Use `data`.",
};

/** Checks the form of a message. @throws PawlError `invalid_input` */
function checkParts(input: readonly MessagePart[]): void {
  for (const [index, part] of input.entries()) {
    const whose = `\`input[${index}]\` of run()`;
    const { type, role }: { type?: unknown; role?: unknown } = Object(part);
    if (role !== undefined)
      throw refusedFile(`${whose} is a message. Send only the new one; the session has the earlier ones.`);
    if (type !== "text" && type !== "file") {
      const got =
        typeof type === "string"
          ? `${JSON.stringify(type.slice(0, 40))}. Pictures and documents are files too.`
          : `${kindOf(type)}.`;
      throw refusedFile(`${whose} must have the \`type\` "text" or "file"; got ${got}`);
    }
    if (type === "text") {
      checkOptions(whose, part, TEXT, { code: "invalid_input" });
      continue;
    }
    checkOptions(whose, part, FILE, { instead: INSTEAD_IN_FILE, code: "invalid_input" });
    const { data, id } = part as FilePart;
    const hasBothOrNeither = (data === undefined) === (id === undefined);
    if (hasBothOrNeither)
      throw refusedFile(`${whose} needs either \`data\`, the file's bytes, or \`id\`, of an uploaded file.`);
    if (id !== undefined && !isFileId(id))
      throw refusedFile(`The \`id\` of ${whose} is not the id of a file.`);
  }
  if (input.every((part) => part.type === "text" && isBlank(part.text)))
    throw refusedFile("The message is empty: `input` of run() needs visible text or a file.");
}
