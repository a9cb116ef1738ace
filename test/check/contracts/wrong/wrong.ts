/** A port that does one thing wrong, the check that must tell, and what it must say. */
export interface Wrong<Checked> {
  check: string
  what: string
  says: RegExp
  /** Spoils a subject whose port does what it should. */
  spoil(subject: Checked): Checked
}

/** What never comes. */
export const never = new Promise<never>(() => {})

/** Lets everything else go on. */
export const turn = () => new Promise(setImmediate)
