import type { Tool } from "@pawl/core";
import * as z from "zod";
import { sourceTool } from "./search-source.ts";
import { person, place, type SearchDeps } from "./support.ts";

/** Searches mails. */
export const searchGmail: Tool<SearchDeps> = sourceTool({
  source: "gmail",
  description:
    "Searches the mails that the user may read, by meaning of words, sender and time. Use it for what people told each other at length: " +
    "decisions, numbers, agreements. It can run in the same turn as the other searches.",
  owner: "Who sent it",
  filters: z.object({
    to: person.optional().describe("Who else got it: an e-mail address or a name."),
    label: place.optional().describe("inbox, important or updates."),
  }),
  narrow: (given) => ({ involves: given?.to, place: given?.label }),
  status: { start: "Searching the mail...", done: "Mail searched" },
});

/** Searches messages. */
export const searchSlack: Tool<SearchDeps> = sourceTool({
  source: "slack",
  description:
    "Searches the Slack messages that the user may read, in channels and direct messages. Use it for what is recent, short or informal. " +
    "It can run in the same turn as the other searches.",
  owner: "Who wrote it",
  filters: z.object({
    channel: place.optional().describe('The channel, e.g. "#finance", or "direct message".'),
    with: person.optional().describe("Who else is in a direct message: an e-mail address or a name."),
  }),
  narrow: (given) => ({ place: given?.channel, involves: given?.with }),
  status: { start: "Searching Slack...", done: "Slack searched" },
});

/** Searches meetings. */
export const searchCalendar: Tool<SearchDeps> = sourceTool({
  source: "calendar",
  description:
    "Searches the meetings that the user may see, past and future: title, agenda, attendees, room. Use it for when and with whom. " +
    "It can run in the same turn as the other searches.",
  owner: "Who organizes it",
  filters: z.object({
    attendee: person.optional().describe("Who takes part: an e-mail address or a name."),
    room: place.optional().describe('The room, e.g. "Room Atlas", or "Video call".'),
  }),
  narrow: (given) => ({ involves: given?.attendee, place: given?.room }),
  status: { start: "Searching the calendar...", done: "Calendar searched" },
});

/** Searches files. */
export const searchDrive: Tool<SearchDeps> = sourceTool({
  source: "drive",
  description:
    "Searches the files that the user may open: documents, sheets, decks and PDFs. Use it for plans, reports, forecasts and policies. " +
    "It can run in the same turn as the other searches.",
  owner: "Whose file it is",
  filters: z.object({
    kind: z.enum(["document", "sheet", "deck", "pdf"]).optional().describe("The kind of file."),
    folder: place.optional().describe('The folder, e.g. "/Finance/Forecasts".'),
    editor: person.optional().describe("Who else edits it: an e-mail address or a name."),
  }),
  narrow: (given) => ({ kind: given?.kind, place: given?.folder, involves: given?.editor }),
  status: { start: "Searching files...", done: "Files searched" },
});
