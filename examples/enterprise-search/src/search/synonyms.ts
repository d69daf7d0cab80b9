import { folded } from "../data/words.ts";

/**
 * Words of offices that stand for each other, one group a line. It is a small thesaurus of business English:
 * a word may be in several groups, and two words in one entry are a phrase.
 */
const GROUPS = `
  money cash funds budget
  spend spending expense expenses cost costs expenditure budget
  reduce reduction decrease cut lower less savings
  increase raise rise growth higher grow more
  price pricing fee rate cost tariff
  pay payment compensation settle
  salary pay wage wages compensation earnings
  buy purchase procurement order
  buyer buyers customer customers client clients account accounts
  supplier suppliers vendor vendors provider
  contract agreement deal
  renew renewal extend extension extending prolong continue
  refund reimbursement reimburse money back
  policy rule rules terms guideline regulation
  penalty fine sanction
  discount rebate reduction
  limit maximum cap quota ceiling biggest allowed
  revenue income sales turnover earnings
  forecast projection expected prediction outlook estimate
  travel trip journey
  allowance reimbursement expense
  invoice bill bills receipt
  dispute disagreement conflict contested complaint
  churn cancellation cancel leaving attrition loss
  due deadline owed
  insurance protection protected policy
  coverage protection protected scope
  damage loss harm
  audit inspection examination check
  finding result reveal observation discovery
  grant subsidy funding sponsorship
  application request proposal
  launch release go live rollout start introduction
  date day time
  hire hiring recruit recruiting recruitment
  freeze stop pause halt
  office building workplace site
  move relocate relocation transfer
  owner responsible lead charge accountable
  delay postpone postponed extension later longer
  training course class lessons workshop education seminar
  places seats spots capacity
  headcount staffing staff employees workforce personnel positions
  plan planning schedule
  parental maternity paternity baby family
  leave absence away vacation holiday
  remote home telework
  visit tour come
  board directors committee
  meeting session talk appointment
  review evaluation adjustment assessment appraisal
  press media news journalists
  announce announcement announced release publish
  conference congress summit convention
  talk speaker presents presentation speech present
  database storage data store
  outage downtime down failure interruption
  security safety attackers protection
  bug defect error fault vulnerability issue
  server machine machines hosting host
  migration move switch moved transition
  performance speed fast benchmark
  test trial benchmark experiment
  login authentication authenticate sign-in access
  failure error cannot fail problem
  rate share percentage ratio often
  retention keep storage preserve
  data records record information
  mobile phone smartphone app
  support help service assistance
  backlog queue unanswered open pending
  ticket request question issue
  storage disk space memory
  usability interface user testers
  study research survey
  satisfaction happy happiness content
  score rating mark
  api interface endpoint
  call request requests
  password passcode credential
  rule requirement must
  boss manager supervisor director
  error mistake
  teach train
  partner ally
  law legal
  fix repair solve
  begin start
  end finish close
  big large
  quick fast rapid
  help assist`;

const groups: readonly (readonly string[])[] = GROUPS.trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/).map(folded));

const byWord = new Map<string, Set<string>>();
for (const group of groups)
  for (const word of group) {
    const known = byWord.get(word) ?? new Set<string>();
    for (const other of group) if (other !== word) known.add(other);
    byWord.set(word, known);
  }

/** Returns words that other people may use for the same thing. */
export function synonymsOf(word: string): readonly string[] {
  return [...(byWord.get(word) ?? byWord.get(word.replace(/s$/, "")) ?? [])];
}
