/** Summer time in Berlin, as calendars define it. */
const BERLIN = `BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:DAYLIGHT
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE`;

/** One event as lines, with an id. */
export function event(uid: string, ...lines: string[]): string {
  return ["BEGIN:VEVENT", `UID:${uid}`, "DTSTAMP:20260101T000000Z", ...lines, "END:VEVENT"].join("\n");
}

/** An iCalendar file with these events and a definition of Berlin's time zone. */
export function icsFile(...events: string[]): string {
  const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:test", BERLIN, ...events, "END:VCALENDAR", ""];
  return lines.join("\n").replaceAll("\n", "\r\n");
}
