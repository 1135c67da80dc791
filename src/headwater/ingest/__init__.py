"""Admission: from the bytes of a request to a durable event. Log and graph are written together."""
