import type { Agent } from "../../agent/agent.ts";
import { checkOptions, kindOf, type OptionKinds } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import { withoutHidden } from "../../base/hidden-text.ts";
import { isBlank } from "../../base/text.ts";
import { canRead } from "../../context/file-bytes.ts";
import { isFileId } from "../../files/hashed-files.ts";
import { type FileFacts, LARGEST_UPLOAD, MOST_PAGES, refusedFile } from "../../files/inspect-file.ts";
import type { FileToKeep, OwnUserFiles } from "../../files/user-files.ts";
import type { FileReference } from "../../log/event-parts.ts";
import type { RunOptions } from "../begin/run-options.ts";

/** The most files of one message. With more, Claude's API refuses large pictures. */
const MOST_FILES = 20;

/** A message that was checked: its text, and its files with their bytes. */
export interface ReadInput {
  message: string;
  files: readonly ReadFile[];
}

/** A file of a message, as the log refers to it and as it will be kept. */
interface ReadFile {
  reference: FileReference;
  kept: FileToKeep;
}

type MessagePart = Exclude<RunOptions["input"], string | undefined>[number];
type FilePart = Extract<MessagePart, { type: "file" }>;

/**
 * Reads the text and the files of a message. Nothing is stored yet.
 *
 * @throws PawlError `invalid_input` for an empty message, and for files that are too many or too large, that
 * the user does not have, that the agent's model cannot read, or for which the runtime has no place.
 */
export async function readInput(
  files: OwnUserFiles | undefined,
  { model }: Pick<Agent, "model">,
  { userId, input }: { userId: string; input: readonly MessagePart[] },
): Promise<ReadInput> {
  checkParts(input);
  const message = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const given = input.filter((part) => part.type === "file");
  if (given.length === 0) return { message, files: [] };
  if (files === undefined)
    throw refusedFile("Messages cannot have files here: runtime() has no option `files`.");
  if (given.length > MOST_FILES) throw refusedFile(`At most ${MOST_FILES} files fit into a message.`);
  const read: ReadFile[] = [];
  let left = LARGEST_UPLOAD;
  for (const [at, part] of input.entries()) {
    if (part.type !== "file") continue;
    const whose = `\`input[${at}].data\``;
    const of = given.length > 1 ? `${shownName(part.name) ?? `File ${read.length + 1}`}: ` : "";
    const kept = await readPart(files, userId, part, { whose, of });
    const { content: _, id, ...facts } = kept;
    left -= facts.bytes;
    if (left < 0)
      throw refusedFile(`The files of a message may have at most ${LARGEST_UPLOAD} bytes in all.`);
    if (!canRead(model, facts.mediaType))
      throw refusedFile(`${of}The model ${model.id} cannot read files of the type ${facts.mediaType}.`);
    read.push({ reference: { id, ...stored(facts), ...named(part.name) }, kept });
  }
  const pages = read.reduce((sum, { reference }) => sum + (reference.pages ?? 0), 0);
  if (pages > MOST_PAGES)
    throw refusedFile(`The PDFs of a message may have at most ${MOST_PAGES} pages in all.`);
  return { message, files: read };
}

/** Reads the bytes of a part. Of an uploaded file, only what is stored about it is read. */
async function readPart(
  files: OwnUserFiles,
  userId: string,
  part: FilePart,
  { whose, of }: { whose: string; of: string },
): Promise<FileToKeep> {
  if (part.id === undefined)
    return await files.inspect(userId, part.data, { whose }).catch((error: unknown) => {
      if (!PawlError.is(error, "invalid_input")) throw error;
      throw refusedFile(`${of}${error.message}`);
    });
  try {
    return await files.describe(userId, part.id);
  } catch (error) {
    if (!PawlError.is(error, "not_found")) throw error;
    throw refusedFile(`${of}A file of the message does not exist. Upload it again.`);
  }
}

/** Returns what the log says about a file. */
export function stored({ mediaType, ...rest }: FileFacts): Omit<FileReference, "id" | "name"> {
  return { media_type: mediaType, ...rest };
}

const LONGEST_NAME = 200;

/** Characters that end a line. */
const LINE_ENDS = /[\t\n\r\u2028\u2029]/g;

function named(given: string | undefined): { name?: string } {
  const name = shownName(given);
  return name === undefined ? {} : { name };
}

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

/** Names of other libraries. */
const INSTEAD_IN_FILE = {
  mediaType: "Leave it out: the type is read from the file's bytes.",
  mimeType: "Leave it out: the type is read from the file's bytes.",
  filename: "Use `name`.",
  url: "Load the file, and give its bytes as `data`.",
  image: "Use `data`.",
  source: "Use `data`.",
};

function checkParts(input: readonly MessagePart[]): void {
  for (const [at, part] of input.entries()) {
    const whose = `\`input[${at}]\` of run()`;
    const { type, role }: { type?: unknown; role?: unknown } = Object(part);
    if (role !== undefined)
      throw refusedFile(`${whose} is a message. Send only the new one; the session has the earlier ones.`);
    if (type !== "text" && type !== "file")
      throw refusedFile(
        `${whose} must have the \`type\` "text" or "file"${typeof type === "string" ? `; got ${JSON.stringify(type.slice(0, 40))}. Pictures and documents are files too.` : `; got ${kindOf(type)}.`}`,
      );
    if (type === "text") {
      checkOptions(whose, part, TEXT, { code: "invalid_input" });
      continue;
    }
    checkOptions(whose, part, FILE, { instead: INSTEAD_IN_FILE, code: "invalid_input" });
    const { data, id } = part as FilePart;
    if ((data === undefined) === (id === undefined))
      throw refusedFile(`${whose} needs either \`data\`, the file's bytes, or \`id\`, of an uploaded file.`);
    if (id !== undefined && !isFileId(id))
      throw refusedFile(`The \`id\` of ${whose} is not the id of a file.`);
  }
  if (input.every((part) => part.type === "text" && isBlank(part.text)))
    throw refusedFile("The message is empty: `input` of run() needs visible text or a file.");
}
