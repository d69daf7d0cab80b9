const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim());

/**
 * What messages and files say beside their facts. `{p}` is a project, `{n}` a colleague, `{c}` a customer,
 * `{t}` a topic, `{d}` a weekday, `{k}` a number, `{i}` a ticket, `{y}` a city, `{o}` an order and `{x}`
 * somebody at a customer.
 */
export const chatter: readonly string[] = lines(`
  Could you look at the {t} for {p} before {d}?
  I moved the {t} into the shared folder.
  {n} has the latest numbers on the {t}, please ask there first.
  We talked to {c} yesterday and they liked the direction.
  The {t} still needs a second pair of eyes.
  Ticket {i} is open again, {n} can reproduce it.
  I will be in {y} until {d}, so answers may take a while.
  {c} asked for an update, I promised one by {d}.
  The draft has {k} comments, most of them small.
  Let us keep the {t} out of scope for now.
  Thanks {n}, that was exactly what I needed.
  The {p} board has {k} open items, {n} will sort them.
  Nothing new on the {t} since last week.
  I merged the change for {i}, it goes out on {d}.
  Please do not forward this outside of the team.
  {n} and I went through the {t} line by line.
  The meeting in {y} was useful, notes follow.
  We have {k} answers from {c} so far.
  Can somebody from {p} join the call on {d}?
  The dashboard shows {k} for this week, which is in the usual range.
  I copied the open questions into the agenda.
  {c} sent the signed papers back this morning.
  For {p} we reuse what the other teams have.
  I would rather wait for {n} before we touch the {t}.
  Small correction to my last message: it is {k}, not {k}.
  Who is the right contact for {c} these days?
  The {t} looks good to me now.
  Reminder: the forms are due on {d}.
  {n} is out until {d}, I am covering.
  We agreed to look at the {t} again after the visit to {y}.
  There were {k} people in the session and nearly all of them stayed.
  I put {i} on the list for the next round.
  Short version: all fine with {p}, details in the file.
  Let me know if {d} does not work for you.
  {c} would like to see a demo of {p}.
  The old version of the {t} is in the archive.
  I have asked {n} to double-check invoice {k}.
  Happy to talk it through, my calendar is up to date.
  The export had {k} rows, {k} of them without an owner.
  We should write the {t} down somewhere people can find it.
  Sorry for the noise, wrong channel.
  The train to {y} was late, so we started without the slides.
  {n} suggested a simpler layout for the {t}.
  I closed {i} because it was a duplicate.
  {p} is on the agenda of the leads on {d}.
  As discussed with {n}, I take over the {t}.
  The workshop with {c} produced {k} ideas.
  Please use the new template for the {t}.
  Order {o} arrived, {x} will unpack it.
  {x} of {c} called about order {o}.
  I met {x} from {c} in {y}.
  The reference for the {t} is {o}.`);

/** What stories without a fact are about. */
export const topics: readonly string[] = lines(`
  onboarding guide
  release notes
  style guide
  meeting notes
  weekly report
  access list
  test plan
  interview notes
  seating plan
  welcome kit
  feedback form
  photo shoot
  newsletter
  data export
  log format
  backup routine
  status page
  help center article
  translation file
  icon set
  parking permits
  coffee machine
  team lunch
  summer party
  book club
  phone list
  holiday calendar
  design review
  retro board
  sandbox setup
  badge printer
  slide template
  glossary
  checklist
  mailing list
  user survey
  search page
  login screen
  demo script
  press kit`);

/** How e-mails begin and end. */
export const greetings: readonly string[] = lines(`
  Hi {n},
  Hello {n},
  Dear {n},
  Hi all,
  Hello everyone,`);
export const closings: readonly string[] = lines(`
  Best,
  Thanks,
  Cheers,
  Kind regards,
  All the best,`);

/** Titles that say little. */
export const vagueTitles: readonly string[] = lines(`
  Quick update on {p}
  {p}: notes
  Notes from {d}
  Following up
  {p} this week
  A few points before {d}
  {p} and {c}
  Re: next steps
  Where we are with {p}
  {c}: summary`);
