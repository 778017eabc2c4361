"""Calendar arithmetic that knows neither MINERVA nor LangGraph."""
