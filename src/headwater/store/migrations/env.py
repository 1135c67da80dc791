"""How Alembic reaches the store: by the engine it is handed."""

from alembic import context

from headwater.store.engine import WRITING
from headwater.store.tables import metadata

# Others go on serving meanwhile. A change that waits for a table makes everybody else wait behind it, so it gives up.
IMPATIENT = {"postgresql": "SET lock_timeout = '10s'", "mysql": "SET SESSION lock_wait_timeout = 10"}

engine = context.config.attributes["engine"]
with engine.connect().execution_options(**WRITING) as connection:
    if connection.dialect.name in IMPATIENT:
        connection.exec_driver_sql(IMPATIENT[connection.dialect.name])
    context.configure(
        connection=connection, target_metadata=metadata, render_as_batch=connection.dialect.name == "sqlite"
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
    if connection.dialect.name in IMPATIENT:
        connection.invalidate()  # so that no later user of this connection is impatient too
