import { checkOptions, PawlError } from "@pawl/core";

/** The check of an option that takes a database. A common mistake is a connection string. */
export const DATABASE: { readonly mustBe: string; is(db: unknown): boolean; readonly required: true } = {
  mustBe: "a database: a Pool of pg, the `sql` of postgres.js, or a PGlite",
  is: (db: unknown): boolean =>
    typeof Object(db).query === "function" || typeof Object(db).unsafe === "function",
  required: true,
};

/** Checks that `db` is a database. @throws PawlError `config` that names the function `whose` */
export function checkDatabase(whose: string, db: unknown): void {
  if (!DATABASE.is(db) && DATABASE.is(Object(db).db))
    throw new PawlError(
      "config",
      `\`db\` of ${whose} is an embedded store; pass \`store.db\`, its database.`,
    );
  checkOptions(whose, { db }, { db: DATABASE });
}
