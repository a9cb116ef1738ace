import { type Patience, waitForWork } from './waiting.js'

/** Begins work; the signal fires when the work is aborted. */
type Begin<Value> = (signal: AbortSignal) => Promise<Value>

/** What happens when no caller is left. */
interface FlightOptions<Value> {
  /** Whether work is aborted when its last caller leaves. Default: false, it goes on for later callers. */
  isAbortedWhenLeft?: boolean
  /** Called with a result once the work has ended and every caller has left. Default: none. */
  release?: (value: Value) => void
}

/** A piece of work and its callers. */
class Flight<Value> {
  readonly over = new AbortController()
  readonly done: Promise<Value>
  start = () => {}
  isSettled = false
  callers = 0
  /** The work that begins when this one has ended. */
  next: Flight<Value> | null = null

  constructor(begin: Begin<Value>) {
    this.done = new Promise(resolve => {
      this.start = () => resolve((async () => begin(this.over.signal))())
    })
    const settle = () => {
      this.isSettled = true
    }
    this.done.then(settle, settle)
  }
}

/**
 * Runs work once for all concurrent callers of a key. Each caller waits as long as it likes; all of them get
 * the failure of the work. Results are not kept: once the work has ended, the next caller begins it anew.
 */
export class SingleFlight<Value> {
  readonly #isAbortedWhenLeft: boolean
  readonly #release: (value: Value) => void
  readonly #flights = new Map<string, Flight<Value>>()

  constructor({ isAbortedWhenLeft = false, release = () => {} }: FlightOptions<Value> = {}) {
    this.#isAbortedWhenLeft = isAbortedWhenLeft
    this.#release = release
  }

  /** The work of this key that is under way. */
  underWay(key: string): Promise<Value> | undefined {
    return this.#flights.get(key)?.done
  }

  /** Waits for the work of this key that is under way, or begins it. */
  join(key: string, patience: Patience, begin: Begin<Value>): Promise<Value> {
    return this.use(key, patience, begin, async value => value)
  }

  /** Joins the work of this key, and passes its result to `use`; it is not released before that has ended. */
  use<Result>(
    key: string,
    patience: Patience,
    begin: Begin<Value>,
    use: (value: Value) => Promise<Result>,
  ): Promise<Result> {
    const flight = this.#flights.get(key) ?? this.#start(key, new Flight(begin))
    return this.#wait(key, flight, patience, use)
  }

  /**
   * Waits for work that begins after this call: callers who come while work is under way share the next. It
   * begins when that has ended, so that a key has one piece of work at a time.
   */
  joinNext(key: string, patience: Patience, begin: Begin<Value>): Promise<Value> {
    const now = this.#flights.get(key)
    if (!now) return this.join(key, patience, begin)
    if (!now.next || now.next.over.signal.aborted) now.next = new Flight(begin)
    return this.#wait(key, now.next, patience, async value => value)
  }

  #start(key: string, flight: Flight<Value>): Flight<Value> {
    this.#flights.set(key, flight)
    flight.start()
    const settle = () => {
      this.#end(key, flight)
      this.#leave(key, flight)
    }
    flight.done.then(settle, settle)
    return flight
  }

  /** Makes way for the next work of a key. */
  #end(key: string, flight: Flight<Value>): void {
    if (this.#flights.get(key) !== flight) return
    this.#flights.delete(key)
    if (flight.next && !flight.next.over.signal.aborted) this.#start(key, flight.next)
  }

  async #wait<Result>(
    key: string,
    flight: Flight<Value>,
    patience: Patience,
    use: (value: Value) => Promise<Result>,
  ): Promise<Result> {
    flight.callers += 1
    try {
      return await use(await waitForWork(patience, flight.done))
    } finally {
      flight.callers -= 1
      this.#leave(key, flight)
    }
  }

  #leave(key: string, flight: Flight<Value>): void {
    if (flight.callers > 0) return
    if (flight.isSettled) flight.done.then(this.#release, () => {})
    else if (this.#isAbortedWhenLeft) {
      flight.over.abort()
      this.#end(key, flight)
    }
  }
}
