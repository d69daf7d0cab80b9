import type { Subject } from "./subject.ts";

/** Subjects of facts: money, contracts and customers. */
export const moneySubjects: readonly Subject[] = [
  {
    name: "budget cut",
    says: ["the budget of {p} was cut by {v}", "finance confirmed a budget cut of {v} for {p}"],
    value: "percent",
    asks: ["how much less money may {p} spend", "spending reduction for {p}"],
  },
  {
    name: "vendor renewal",
    says: ["the vendor renewal for {p} costs {v}", "we signed the vendor renewal for {p} at {v}"],
    value: "dollars",
    asks: ["price of extending the supplier agreement of {p}", "what do we pay to prolong the {p} supplier"],
  },
  {
    name: "pricing change",
    says: ["the pricing change for {p} raises the list price by {v}", "{p} gets a pricing change of {v}"],
    value: "percent",
    asks: ["how much more expensive does {p} become", "{p} fee increase for buyers"],
  },
  {
    name: "refund policy",
    says: [
      "the refund policy of {p} allows {v} days",
      "under the refund policy of {p} customers have {v} days",
    ],
    value: "count",
    asks: ["how long can clients get their money back with {p}", "{p} reimbursement rules for clients"],
  },
  {
    name: "contract penalty",
    says: ["the contract penalty for {p} is {v}", "legal found a contract penalty of {v} in {p}"],
    value: "dollars",
    asks: ["fine in the {p} agreement", "what must we pay if we break the {p} agreement"],
  },
  {
    name: "discount limit",
    says: ["the discount limit for {p} is {v}", "nobody may go above the discount limit of {v} for {p}"],
    value: "percent",
    asks: ["biggest rebate allowed for {p}", "{p} maximum price reduction"],
  },
  {
    name: "revenue forecast",
    says: ["the revenue forecast for {p} is {v}", "our revenue forecast puts {p} at {v}"],
    value: "dollars",
    asks: ["expected income from {p}", "{p} sales projection"],
  },
  {
    name: "travel allowance",
    says: ["the travel allowance for {p} is {v}", "for visits of {p} the travel allowance was set to {v}"],
    value: "dollars",
    asks: ["how much may a trip for {p} cost", "{p} trip reimbursement"],
  },
  {
    name: "invoice dispute",
    says: ["the invoice dispute about {p} is over {v}", "we settled the invoice dispute of {p} at {v}"],
    value: "dollars",
    asks: ["bill disagreement around {p}", "amount of the contested {p} bill"],
  },
  {
    name: "customer churn",
    says: [
      "customer churn of {p} went to {v}",
      "{p} lost {v} of its accounts, the highest customer churn so far",
    ],
    value: "percent",
    asks: ["how many clients are leaving {p}", "{p} cancellation rate of clients"],
  },
  {
    name: "payment terms",
    says: ["the payment terms for {p} are {v} days", "procurement moved {p} to payment terms of {v} days"],
    value: "count",
    asks: ["when must {p} bills be settled", "{p} deadline for settling bills"],
  },
  {
    name: "insurance coverage",
    says: ["the insurance coverage of {p} ends at {v}", "{p} has insurance coverage up to {v}"],
    value: "dollars",
    asks: ["how much damage is {p} protected against", "{p} policy protection amount"],
  },
  {
    name: "audit finding",
    says: [
      "the audit finding on {p} concerns {v} entries",
      "there is one audit finding for {p}, about {v} entries",
    ],
    value: "count",
    asks: ["what did the examination of the {p} books reveal", "{p} inspection result"],
  },
  {
    name: "grant application",
    says: ["the grant application for {p} asks for {v}", "we filed the grant application of {p} over {v}"],
    value: "dollars",
    asks: ["subsidy request of {p}", "public funding that {p} requested"],
  },
];
