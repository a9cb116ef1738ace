import { type Delivery, listDeliveries } from '#webhooks/outbox/deliveries.js'
import type { SendOptions } from '#webhooks/sending/send.js'
import { WebhookWorker } from '#webhooks/sending/webhook-worker.js'
import { type CreatedWebhook, createWebhook } from '#webhooks/webhooks.js'
import type { Store } from '../../../server/dist/database/store.js'
import { endAssessment, startAssessment } from '../../../server/dist/store/assessments.js'
import { addProject } from '../../../server/dist/store/projects.js'
import { ControlStore } from '../../../test/server/control.js'
import { unexpected } from '../../../test/server/stores.js'
import { TestReceiver } from './receiver.js'

/** Ada, who owns the webhooks. */
export const ADA = 'ada@example.org'
const LOOPBACK = ['127.0.0.1', '::1']

/** A new store for each test, with a project whose events a webhook of Ada is told, and its receiver. */
export class Deliveries {
  readonly control = new ControlStore()
  readonly logged: { fields: object; message: string }[] = []
  readonly counted: string[] = []
  #made: { receiver: TestReceiver; webhook: CreatedWebhook; project: string } | undefined

  constructor() {
    beforeEach(async () => {
      const receiver = new TestReceiver()
      await this.control.addAda('north')
      const { projectId: project } = await addProject(this.control.store, { organization: 'north', name: 'One' })
      this.#made = { receiver, webhook: await this.add(await receiver.listen()), project }
      this.logged.length = 0
      this.counted.length = 0
    })
    afterEach(() => this.receiver.close())
  }

  get receiver(): TestReceiver {
    return this.#given.receiver
  }

  get webhook(): CreatedWebhook {
    return this.#given.webhook
  }

  get project(): string {
    return this.#given.project
  }

  get #given() {
    if (!this.#made) throw new Error('all is made before each test')
    return this.#made
  }

  /** Adds another webhook of Ada. */
  add(url: string): Promise<CreatedWebhook> {
    return createWebhook(this.control.store, { user: ADA, url, organizations: ['north'] })
  }

  /** Completes an assessment, and returns its id. */
  async happen(): Promise<string> {
    const { id } = await startAssessment(this.control.store, this.project)
    await endAssessment(this.control.store, id, 'completed')
    return id
  }

  /** A worker that may reach the loopback interface. */
  worker(sending: Partial<SendOptions> = {}, store: Store = this.control.store): WebhookWorker {
    const take = (fields: object, message: string) => void this.logged.push({ fields, message })
    const telling = { log: { info: take, warn: take, error: take }, report: unexpected }
    const count = (outcome: string) => void this.counted.push(outcome)
    return new WebhookWorker(store, { allowed: LOOPBACK, ...sending }, { ...telling, count })
  }

  /** Lets a worker send what is due. */
  async deliver(worker = this.worker()): Promise<void> {
    await worker.look()
    await worker.idle()
  }

  /** The newest deliveries of a webhook, newest first. */
  list(webhookId = this.webhook.id): Promise<Delivery[]> {
    return listDeliveries(this.control.store, webhookId, 20)
  }

  async last(webhookId?: string): Promise<Delivery> {
    const [last] = await this.list(webhookId)
    if (!last) throw new Error('there is no delivery')
    return last
  }
}
