"""Verifies deliveries, one JSON object of headers and body per line, and prints the type of each event."""
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

receiver = Webhook(sys.argv[1])
for line in sys.stdin:
    delivery = json.loads(line)
    print(receiver.verify(delivery["body"], delivery["headers"])["type"])
    try:
        receiver.verify(delivery["body"].replace("data", "date"), delivery["headers"])
    except WebhookVerificationError:
        continue
    sys.exit("a changed body was accepted")
