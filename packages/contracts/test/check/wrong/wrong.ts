/** A port with one fault, the check that must find it, and what that check must say. */
export interface Wrong<Checked> {
  check: string
  what: string
  says: RegExp
  /** Adds the fault to a subject whose port is correct. */
  spoil(subject: Checked): Checked
}

/** A promise that never settles. */
export const never = new Promise<never>(() => {})

/** Lets other tasks run. */
export const turn = () => new Promise(setImmediate)
