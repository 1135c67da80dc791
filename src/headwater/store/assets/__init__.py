"""The asset graph as it is stored: in tables of the SQL store, and in a graph server if there is one."""
