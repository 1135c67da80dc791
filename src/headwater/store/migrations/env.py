"""How Alembic reaches the store: by the engine it is handed."""

from alembic import context

from headwater.store.engine import WRITING
from headwater.store.tables import metadata

engine = context.config.attributes["engine"]
with engine.connect().execution_options(**WRITING) as connection:
    context.configure(
        connection=connection, target_metadata=metadata, render_as_batch=connection.dialect.name == "sqlite"
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
