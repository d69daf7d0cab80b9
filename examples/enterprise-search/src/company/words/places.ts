/** The departments, each with its teams. Every team has a group and a channel. */
export const departments: ReadonlyMap<string, readonly string[]> = new Map([
  ["Finance", ["Planning", "Accounting", "Procurement"]],
  ["Sales", ["Enterprise", "Mid-market", "Partnerships"]],
  ["Marketing", ["Brand", "Events", "Content"]],
  ["Engineering", ["Platform", "Mobile", "Data", "Security"]],
  ["Product", ["Discovery", "Roadmap"]],
  ["Design", ["Research", "Interface"]],
  ["Support", ["Onboarding", "Escalations"]],
  ["Legal", ["Contracts", "Privacy"]],
  ["People", ["Recruiting", "Culture"]],
  ["Operations", ["Facilities", "Travel", "Analytics"]],
]);

/** What people of a department are called, from the most common to the rarest. */
export const roles: readonly string[] = ["Specialist", "Senior Specialist", "Lead", "Manager", "Director"];

export const rooms: readonly string[] = [
  "Room Atlas",
  "Room Baltic",
  "Room Coral",
  "Room Delta",
  "Video call",
];

export const cities: readonly string[] = [
  "Lisbon",
  "Oslo",
  "Hamburg",
  "Dublin",
  "Toronto",
  "Nairobi",
  "Osaka",
  "Santiago",
  "Kraków",
  "Málaga",
];

export const weekdays: readonly string[] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];

/** The kinds of files. */
export const fileKinds: readonly string[] = ["document", "sheet", "deck", "pdf"];
