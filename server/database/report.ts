/** Reports a failure to the operator; the message is `what` followed by "failed". */
export type Report = (what: string, cause: unknown) => void
