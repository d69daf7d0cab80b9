import { writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventsOn } from "../../src/calendar/events-on.ts";
import { MAX_BYTES } from "../../src/calendar/load-calendar.ts";
import { readDay } from "../../src/calendar/read-day.ts";
import { type IcsCalendarOptions, icsCalendar } from "../../src/index.ts";
import { event, icsFile } from "../support/calendars.ts";
import { MORNING, ruledCoach, tempDir } from "../support/harness.ts";

/** A Saturday, and the day of a user in Berlin. */
const SATURDAY = { day: "2026-11-21", timeZone: "Europe/Berlin" };
const berlin = (time: string) => `;TZID=Europe/Berlin:${time}`;
const on = (...events: string[]) => eventsOn(icsFile(...events), SATURDAY);

describe("X1 a day of an iCalendar file", () => {
  it("X1 has a series at its local time, in summer and winter, without its exceptions", () => {
    const weekly = event(
      "a",
      `DTSTART${berlin("20260704T093000")}`,
      `DTEND${berlin("20260704T103000")}`,
      "RRULE:FREQ=WEEKLY",
      `EXDATE${berlin("20261114T093000")}`,
      "SUMMARY:Choir",
    );
    const at = (day: string) => eventsOn(icsFile(weekly), { ...SATURDAY, day });
    expect(at("2026-07-11")).toEqual([{ at: "09:30", title: "Choir" }]);
    expect(at("2026-11-21")).toEqual([{ at: "09:30", title: "Choir" }]);
    expect(at("2026-11-14")).toEqual([]);
    expect(at("2026-11-20")).toEqual([]);
    expect(eventsOn(icsFile(weekly), { day: "2026-11-21", timeZone: "America/New_York" })).toEqual([
      { at: "03:30", title: "Choir" },
    ]);
  });

  it("X1 has an occurrence that was moved to it, and not one that was moved away or cancelled", () => {
    const series = (uid: string, title: string) =>
      event(uid, `DTSTART${berlin("20261001T080000")}`, "RRULE:FREQ=DAILY", `SUMMARY:${title}`);
    const except = (uid: string, date: string, ...lines: string[]) =>
      event(uid, `RECURRENCE-ID${berlin(`${date}T080000`)}`, ...lines);
    const found = on(
      series("a", "Moved"),
      except("a", "20261121", `DTSTART${berlin("20261122T080000")}`, "SUMMARY:Moved"),
      except("a", "20261201", `DTSTART${berlin("20261121T140000")}`, "SUMMARY:Moved here"),
      series("b", "Cancelled"),
      except("b", "20261121", `DTSTART${berlin("20261121T080000")}`, "STATUS:CANCELLED"),
      event("c", `DTSTART${berlin("20261121T100000")}`, "STATUS:CANCELLED", "SUMMARY:Off"),
      event("d", "DTSTART:20260101T110000Z", "RDATE:20261121T110000Z", "SUMMARY:Once more"),
    );
    expect(found).toEqual([
      { at: "12:00", title: "Once more" },
      { at: "14:00", title: "Moved here" },
    ]);
  });

  it("X1 reads zones by name, UTC, times without a zone, and unknown zones", () => {
    const found = on(
      event("a", "DTSTART;TZID=America/New_York:20261121T090000", "SUMMARY:New York"),
      event("b", "DTSTART:20261121T190000Z", "SUMMARY:UTC"),
      event("c", "DTSTART:20261121T180000", "SUMMARY:Floating"),
      event("d", "DTSTART;TZID=Mars/Olympus:20261121T170000", "SUMMARY:Unknown"),
    );
    expect(found).toEqual([
      { at: "15:00", title: "New York" },
      { at: "17:00", title: "Unknown" },
      { at: "18:00", title: "Floating" },
      { at: "20:00", title: "UTC" },
    ]);
  });

  it("X1 has whole days first, and what began the day before", () => {
    const found = on(
      event("a", "DTSTART:20261121T050000Z", "DURATION:PT1H"),
      event("b", "DTSTART:20261120T210000Z", "DTEND:20261121T050000Z", "SUMMARY:Night train"),
      event("c", "DTSTART;VALUE=DATE:20261119", "DTEND;VALUE=DATE:20261123", "SUMMARY:Trip"),
      event("d", "DTSTART;VALUE=DATE:20261120", "SUMMARY:Yesterday"),
      event("e", "DTSTART;VALUE=DATE:20261122", "SUMMARY:Tomorrow"),
      event("f", "DTSTART;VALUE=DATE:20201121", "RRULE:FREQ=YEARLY", "SUMMARY:Birthday"),
      event("g", "DTSTART:20261120T230000Z", "DTEND:20261120T230000Z", "SUMMARY:Midnight"),
    );
    expect(found).toEqual([
      { title: "Trip" },
      { title: "Birthday" },
      { at: "00:00", title: "Night train (until 06:00)" },
      { at: "00:00", title: "Midnight" },
      { at: "06:00", title: "Busy" },
    ]);
  });

  it("X1 attack: a rule that never matches, or too often, does not keep the server busy", async () => {
    const never = event("a", "DTSTART:20000101T000000Z", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30");
    await expect(readDay(icsFile(never), SATURDAY, 500)).rejects.toThrow("longer than 500 ms");
    const often = event("b", "DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY", "SUMMARY:Tick");
    const other = event("c", "DTSTART:20261121T120000Z", "SUMMARY:Lunch");
    expect(on(often, other)).toEqual([{ at: "13:00", title: "Lunch" }]);
  });
});

/** Serves a calendar on a port of its own, and opens it. */
async function served(answer: RequestListener, options: Partial<IcsCalendarOptions> = {}) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const errors: string[] = [];
  const calendar = icsCalendar({
    source: `http://127.0.0.1:${(server.address() as AddressInfo).port}/private-0123/basic.ics`,
    onError: (message) => errors.push(message),
    ...options,
  });
  const signal = new AbortController().signal;
  return { errors, today: () => calendar({ userId: "ada", ...SATURDAY, signal }) };
}

const dentist = icsFile(event("a", `DTSTART${berlin("20261121T093000")}`, "SUMMARY:Dentist"));

describe("X1 a calendar by configuration", () => {
  it("X1 is read from a file, and the coach's context has its entries", async () => {
    const path = join(await tempDir(), "calendar.ics");
    await writeFile(path, dentist);
    const calendar = icsCalendar({ source: path });
    // A context waits two seconds for a section, which is little on a busy machine, so it is read before.
    const { signal } = new AbortController();
    await calendar({ userId: "ada", day: SATURDAY.day, timeZone: "Europe/London", signal });
    const { ask, model } = await ruledCoach(undefined, { calendar });
    await ask({ input: "Good morning", metadata: { time_zone: "Europe/London" } });
    const system = JSON.stringify(model.requests[0]?.system);
    expect(system).toContain("Today, 2026-11-21");
    expect(system).toContain("- 08:30: Dentist");
  });

  it("X1 is loaded from a URL once a minute, also for several contexts at once", async () => {
    let requests = 0;
    let time = MORNING;
    const { today } = await served(
      (_, response) => {
        requests += 1;
        response.end(dentist);
      },
      { now: () => time },
    );
    const all = await Promise.all([today(), today()]);
    expect([...all, await today()]).toEqual(Array(3).fill([{ at: "09:30", title: "Dentist" }]));
    expect(requests).toBe(1);
    time += 60_000;
    await today();
    expect(requests).toBe(2);
  });

  it.each<[string, RequestListener, string]>([
    ["is missing", (_, response) => response.writeHead(404).end(), "answers with 404"],
    ["is too large", (_, response) => response.end("x".repeat(MAX_BYTES + 1)), "is larger than"],
    ["is no calendar", (_, response) => response.end("<!doctype html>"), "cannot be read"],
    ["breaks off", (request) => request.socket.destroy(), "cannot be reached"],
  ])("X1 that %s is left out, and the reason does not contain its address", async (_, answer, reason) => {
    const { errors, today } = await served(answer);
    await expect(today()).rejects.toThrow();
    await expect(today()).rejects.toThrow();
    expect(errors).toEqual([expect.stringContaining(reason)]);
    expect(errors[0]).not.toContain("private-0123");
  });

  it("X1 that never answers is given up", async () => {
    const { errors, today } = await served(() => undefined, {
      fetch: async (url, init) => {
        const limited = AbortSignal.any([init?.signal as AbortSignal, AbortSignal.timeout(50)]);
        return await fetch(url, { ...init, signal: limited });
      },
    });
    await expect(today()).rejects.toThrow("cannot be reached");
    expect(errors).toHaveLength(1);
  });
});
